// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothSMP
import PairingTestSupport
import Testing

/// Our host pairs with BlueZ by what was handed over in another way. bluetoothd has no words for it,
/// the kernel has: so the data comes and goes by the kernel's management interface. Not every kernel
/// hands out its own: Debian 12's says that it cannot for controllers of 4.x.
@Suite(.machines) struct AccessoryOutOfBandTests {
    /// Who has the other's data.
    enum Knowledge: Sendable {
        /// We have BlueZ's.
        case ours
        /// BlueZ has ours.
        case theirs
        case both
    }

    @Test(arguments: Setting.latestOnly)
    func bothHaveTheOthers(_ setting: Setting) async throws {
        try await pair(setting, .both)
    }

    @Test(arguments: Setting.latestOnly, [Knowledge.ours, .theirs])
    func oneHasTheOthers(_ setting: Setting, knowledge: Knowledge) async throws {
        try await pair(setting, knowledge)
    }

    private func pair(_ setting: Setting, _ knowledge: Knowledge) async throws {
        try await withAccessory(setting, "out of band") { scene in
            var policy = Pairing.Policy()
            if knowledge != .theirs {
                policy.peerOutOfBandData = try await scene.bluez.readOutOfBandData()
            }
            if knowledge != .ours {
                var generator = SystemRandomNumberGenerator()
                let local = try #require(Pairing.LocalOutOfBandData.make(using: &generator))
                policy.localOutOfBandData = local
                try await scene.bluez.hand(local.data, of: await scene.host.identityAddress)
            }
            let link = try await scene.connect()
            let security = try await link.pair(policy)
            #expect(security.isAuthenticated)
            #expect(security.usesSecureConnections)
            #expect(await scene.host.bonds.first?.security == security)
            #expect(scene.person.experiences == [])
        }
    }

    @Test("Data that is not BlueZ's is noticed", arguments: Setting.latestOnly)
    func forgery(_ setting: Setting) async throws {
        try await withAccessory(setting, "out of band") { scene in
            var generator = SystemRandomNumberGenerator()
            var policy = Pairing.Policy()
            policy.peerOutOfBandData =
                Pairing.LocalOutOfBandData.make(using: &generator)?.data
            _ = try await scene.bluez.readOutOfBandData()
            let link = try await scene.connect()
            await #expect(throws: Pairing.Failure.refused(.confirmValueFailed)) {
                try await link.pair(policy)
            }
            #expect(await scene.host.bonds == [])
        }
    }
}

extension BlueZ {
    /// What BlueZ's side hands over, good for its next pairing.
    fileprivate func readOutOfBandData() async throws -> Pairing.OutOfBandData {
        // For both kinds of addresses: public and random.
        let answer = try await manage(.readLocalOutOfBandExtendedData, [0x06])
        // The kinds of addresses, and the count of the octets that follow.
        return try Pairing.OutOfBandTag(parsing: answer.dropFirst(3)).data
    }

    /// Gives BlueZ's side what ours hands over.
    fileprivate func hand(
        _ data: Pairing.OutOfBandData,
        of address: DeviceAddress
    ) async throws {
        let kind: UInt8 = address.kind == .public ? 0x01 : 0x02
        let none = [UInt8](repeating: 0, count: 32)
        let confirmation = try #require(data.confirmation)
        let random = try #require(data.random)
        let octets = address.littleEndianBytes + [kind] + none + confirmation + random
        try await manage(.addRemoteOutOfBandData, octets)
    }
}
