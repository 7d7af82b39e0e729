// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/SCCT: keys of BR/EDR, which a host with LE alone does not derive. It must not offer them. The
/// cases themselves do not apply.
@Suite struct CrossTransportTests {
    private let all: SMP.KeyDistribution = [
        .encryptionKey, .identityKey, .signingKey, .linkKey,
    ]

    @Test("SM/PER/SCCT/BV-08-C, BV-10-C do not apply: The response does not set the link key bit")
    func responder() throws {
        var fixture = try SecurityFixture(isCentral: false, .plain(isBonding: true))
        let requirements: SMP.AuthenticationRequirements = [
            .bonding, .secureConnections, .crossTransport,
        ]
        try fixture.exchangeFeatures(.tester(.noInputNoOutput, requirements, keys: all))
        let response = try #require(fixture.tester.response)
        #expect(!response.initiatorKeys.contains(.linkKey))
        #expect(!response.responderKeys.contains(.linkKey))
        #expect(!response.requirements.contains(.crossTransport))
    }

    @Test("SM/CEN/SCCT/BV-07-C, BV-09-C do not apply: The request does not set the link key bit")
    func initiator() throws {
        var fixture = try SecurityFixture(isCentral: true, .plain(isBonding: true))
        fixture.application(pairsBy: fixture.policy)
        guard case .pairingRequest(let request) = try fixture.weSend(.pairingRequest) else {
            return
        }
        #expect(!request.initiatorKeys.contains(.linkKey))
        #expect(!request.responderKeys.contains(.linkKey))
        #expect(!request.requirements.contains(.crossTransport))
    }
}
