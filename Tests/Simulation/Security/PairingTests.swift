// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

@testable import BluetoothHost

/// Two of our hosts without a bond, on a virtual radio with invariant checkers.
@Suite("Two hosts that pair, in virtual time")
struct PairingTests {
    /// A user who consents, and confirms the digits of Numeric Comparison.
    private struct ConsentingUser: PairingDelegate {
        func consents(to pairing: PairingRequest) async -> Bool { true }

        func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
            pairing.method == .numericComparison
        }
    }

    private static func configuration(_ capability: Pairing.IOCapability) -> HostConfiguration {
        var configuration = HostConfiguration()
        configuration.pairing.ioCapability = capability
        configuration.pairing.requiresAuthentication = capability != .noInputNoOutput
        configuration.pairingDelegate = ConsentingUser()
        return configuration
    }

    @Test(
        "Two hosts bond, report the security, and encrypt when they connect again",
        arguments: [Pairing.IOCapability.noInputNoOutput, .displayYesNo],
        [true, false]
    )
    func bonding(_ capability: Pairing.IOCapability, _ isBegunByCentral: Bool) async throws {
        let harness = try HostServingHarness()
        try await harness.air.run(bound: .seconds(120)) {
            let configuration = Self.configuration(capability)
            let strap = try await harness.startStrap(configuration)
            let phone = try await harness.startPhone(configuration)
            let service = try await strap.publish(Strap.definition)
            let session = try await harness.connect(strap, phone, service)
            #expect(try await session.toStrap.bondedPeer == nil)
            let initiating = isBegunByCentral ? session.toStrap : session.toPhone
            let security = try await initiating.pair()
            #expect(security.isEncrypted && security.isBonded && security.keySize == 16)
            #expect(security.usesSecureConnections)
            #expect(security.isAuthenticated == (capability == .displayYesNo))
            #expect(try await session.toStrap.pair() == security, "the link is already paired")
            #expect(try await session.toStrap.read(session.handle(.secret)) == [42])
            #expect(try await session.toPhone.security == security)
            // The discovery takes long enough for the host to read the peer's name.
            _ = try await session.toStrap.discoverServices()
            let known = try #require(try await session.toStrap.bondedPeer)
            try await session.toStrap.disconnect()
            _ = try await session.toPhone.ended()
            let again = try await harness.connect(strap, phone, service)
            #expect(try await again.toStrap.security == security)
            #expect(try await again.toStrap.bondedPeer?.identifier == known.identifier)
            #expect(await strap.bonds.map(\.identity) == [HostServingHarness.phone])
            #expect(await phone.bonds.map(\.name) == ["Lanyard"])
            await phone.shutdown()
            await strap.shutdown()
        }
    }
}
