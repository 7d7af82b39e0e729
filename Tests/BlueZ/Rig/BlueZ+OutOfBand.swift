// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothSMP
import Testing

/// Which of two sides has what the other handed over in another way.
enum Knowledge: CaseIterable, Sendable {
    /// We have BlueZ's.
    case ours
    /// BlueZ has ours.
    case theirs
    case both
}

/// Pairing by what was handed over in another way. bluetoothd has no words for it, the kernel has: so the
/// data comes and goes by the kernel's management interface. For btvirt's controllers of 4.x it hands out none.
extension BlueZ {
    /// Hands over what one side or both have to know; what our side goes by then, good for one pairing.
    ///
    /// - Parameter address: where BlueZ finds our host.
    func exchange(
        _ knowledge: Knowledge,
        with address: DeviceAddress
    ) async throws -> Pairing.Policy {
        var policy = Pairing.Policy()
        if knowledge != .theirs { policy.peerOutOfBandData = try await readOutOfBandData() }
        if knowledge != .ours {
            var generator = SystemRandomNumberGenerator()
            let local = try #require(Pairing.LocalOutOfBandData.make(using: &generator))
            policy.localOutOfBandData = local
            try await hand(local.data, of: address)
        }
        return policy
    }

    /// What BlueZ's side hands over, good for its next pairing.
    func readOutOfBandData() async throws -> Pairing.OutOfBandData {
        // For both kinds of addresses: public and random.
        let answer = try await manage(.readLocalOutOfBandExtendedData, [0x06])
        // The kinds of addresses, and the count of the octets that follow.
        return try Pairing.OutOfBandTag(parsing: answer.dropFirst(3)).data
    }

    /// Gives BlueZ's side what ours hands over.
    private func hand(_ data: Pairing.OutOfBandData, of address: DeviceAddress) async throws {
        let kind: UInt8 = address.kind == .public ? 0x01 : 0x02
        let none = [UInt8](repeating: 0, count: 32)
        let confirmation = try #require(data.confirmation)
        let random = try #require(data.random)
        let octets = address.littleEndianBytes + [kind] + none + confirmation + random
        try await manage(.addRemoteOutOfBandData, octets)
    }
}
