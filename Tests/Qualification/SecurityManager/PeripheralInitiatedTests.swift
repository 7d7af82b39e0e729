// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/PIS, or SM/SIP in older suites: security that the peripheral requests.
@Suite struct PeripheralInitiatedSecurityTests {
    private func finish(_ fixture: inout SecurityFixture) throws {
        try fixture.exchangePublicKeys()
        try fixture.exchangeNonces()
        try fixture.exchangeChecks()
        fixture.encrypt(with: try fixture.tester.keys().longTermKey)
        #expect(try fixture.paired().method == .justWorks)
        fixture.expectSilence()
    }

    @Test("SM/PER/PIS/BV-01-C: Peripheral initiates pairing")
    func pairing() throws {
        var policy = Pairing.Policy.plain(.displayYesNo)
        policy.prefersAuthentication = true
        var fixture = try SecurityFixture(isCentral: false, policy)
        fixture.application(pairsBy: policy)
        fixture.we(send: .securityRequest([.protection, .secureConnections]))
        // Our side started the pairing, so the application is not asked for consent.
        try fixture.exchangeFeatures(.tester(), consents: false)
        try finish(&fixture)
    }

    @Test("SM/CEN/PIS/BV-02-C: Peripheral Initiates pairing - Central Response")
    func response() throws {
        var fixture = try SecurityFixture(isCentral: true, .plain(.displayYesNo))
        fixture.tester(sends: .securityRequest([.protection, .secureConnections]))
        fixture.application(
            receives: .securityRequested(isAuthenticated: true, usesSecureConnections: true)
        )
        try fixture.exchangeFeatures(.tester())
        try finish(&fixture)
    }

    @Test("SM/CEN/PIS/BV-02-C: Peripheral Initiates pairing - Central Response - not supported")
    func notSupported() throws {
        var fixture = try SecurityFixture(isCentral: true, .plain())
        fixture.we.policyForPeer = nil
        fixture.tester(sends: .securityRequest([.protection, .secureConnections]))
        fixture.we(send: .failed(.pairingNotSupported))
        fixture.expectSilence()
    }

    @Test("GAP/BOND/NBON/BV-01-C: A central that does not bond pairs without keys")
    func notBondable() throws {
        var fixture = try SecurityFixture(isCentral: true, .plain())
        fixture.tester(sends: .securityRequest([.bonding, .secureConnections]))
        fixture.application(
            receives: .securityRequested(isAuthenticated: false, usesSecureConnections: true)
        )
        try fixture.exchangeFeatures(.tester(.noInputNoOutput, [.bonding, .secureConnections]))
        let request = try #require(fixture.tester.request)
        #expect(!request.requirements.contains(.bonding))
        #expect(request.initiatorKeys.isEmpty && request.responderKeys.isEmpty)
        try finish(&fixture)
    }

    @Test("SM/PER/PIS/BV-02-C: Peripheral initiates encryption")
    func encryption() throws {
        var policy = Pairing.Policy.plain()
        policy.prefersAuthentication = false
        var fixture = try SecurityFixture(isCentral: false, policy)
        fixture.application(pairsBy: policy)
        fixture.we(send: .securityRequest(.secureConnections))
        fixture.linkIsEncrypted()
        #expect(!fixture.we.isPairing)
        fixture.wait(.seconds(60))
        fixture.expectSilence()
    }

    @Test("SM/CEN/PIS/BV-03-C: Peripheral Initiates Encryption - Central Response")
    func second() throws {
        var fixture = try SecurityFixture(isCentral: true, .plain())
        fixture.tester(sends: .securityRequest(.secureConnections))
        fixture.application(
            receives: .securityRequested(isAuthenticated: false, usesSecureConnections: true)
        )
        fixture.application(pairsBy: fixture.policy)
        guard case .pairingRequest(let request) = try fixture.weSend(.pairingRequest) else {
            return
        }
        fixture.tester(sends: .securityRequest(.secureConnections))
        fixture.expectSilence()
        let response = SMP.PairingFeatures.tester()
        fixture.tester.request = request
        fixture.tester.response = response
        fixture.tester(sends: .pairingResponse(response))
        try finish(&fixture)
    }
}
