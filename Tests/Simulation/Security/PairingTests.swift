// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

@testable import BluetoothHost

/// Two of our hosts that have never met, on a virtual air that is watched.
@Suite("Two hosts that pair, in virtual time")
struct PairingTests {
    /// Says yes to everything, and sees what the other shows.
    private struct Agreeable: PairingDelegate {
        func consents(to pairing: PairingRequest) async -> Bool { true }

        func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
            pairing.method == .numericComparison
        }
    }

    private static func configuration(_ capability: Pairing.IOCapability) -> HostConfiguration {
        var configuration = HostConfiguration()
        configuration.pairing.ioCapability = capability
        configuration.pairing.requiresAuthentication = capability != .noInputNoOutput
        configuration.pairingDelegate = Agreeable()
        return configuration
    }

    @Test(
        "are bonded, say what with, and encrypt when they meet again",
        arguments: [Pairing.IOCapability.noInputNoOutput, .displayYesNo],
        [true, false]
    )
    func bonding(_ capability: Pairing.IOCapability, _ isBegunByCentral: Bool) async throws {
        let scene = try ServingScene()
        try await scene.air.run(bound: .seconds(120)) {
            let configuration = Self.configuration(capability)
            let strap = try await scene.startStrap(configuration)
            let phone = try await scene.startPhone(configuration)
            let service = try await strap.publish(Strap.definition)
            let meeting = try await scene.meet(strap, phone, service)
            #expect(try await meeting.toStrap.bondedPeer == nil)
            let wishing = isBegunByCentral ? meeting.toStrap : meeting.toPhone
            let security = try await wishing.pair()
            #expect(security.isEncrypted && security.isBonded && security.keySize == 16)
            #expect(security.usesSecureConnections)
            #expect(security.isAuthenticated == (capability == .displayYesNo))
            #expect(try await meeting.toStrap.pair() == security, "it is done already")
            #expect(try await meeting.toStrap.read(meeting.handle(.secret)) == [42])
            #expect(try await meeting.toPhone.security == security)
            // Long enough for the name to be read as well.
            _ = try await meeting.toStrap.discoverServices()
            let known = try #require(try await meeting.toStrap.bondedPeer)
            try await meeting.toStrap.disconnect()
            _ = try await meeting.toPhone.ended()
            let again = try await scene.meet(strap, phone, service)
            #expect(try await again.toStrap.security == security)
            #expect(try await again.toStrap.bondedPeer?.identifier == known.identifier)
            #expect(await strap.bonds.map(\.identity) == [ServingScene.phone])
            #expect(await phone.bonds.map(\.name) == ["Lanyard"])
            await phone.shutdown()
            await strap.shutdown()
        }
    }
}
