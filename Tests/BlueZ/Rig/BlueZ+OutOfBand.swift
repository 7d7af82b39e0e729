// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport
import Testing

/// The sides that have the other side's out-of-band data.
enum Knowledge: CaseIterable, Sendable {
    /// Our host has BlueZ's data.
    case ours
    /// BlueZ has our host's data.
    case theirs
    case both
}

/// Out-of-band pairing. bluetoothd does not support it and the kernel does, so the data is
/// exchanged over the kernel's management interface. For btvirt's 4.x controllers the kernel
/// provides no data.
extension BlueZ {
    /// Exchanges the data in one or both directions. Returns the pairing policy with the data that
    /// our host uses, which is valid for one pairing.
    ///
    /// - Parameter address: Our host's address in BlueZ.
    func exchange(
        _ knowledge: Knowledge,
        with address: DeviceAddress
    ) async throws -> Pairing.Policy {
        var policy = Pairing.Policy()
        if knowledge != .theirs { policy.peerOutOfBandData = try await readOutOfBandData() }
        if knowledge != .ours {
            var generator = SplitMix64(seed: RunSeed.value)
            let local = try #require(Pairing.LocalOutOfBandData.make(using: &generator))
            policy.localOutOfBandData = local
            try await hand(local.data, of: address)
        }
        return policy
    }

    /// Returns BlueZ's out-of-band data, valid for its next pairing.
    func readOutOfBandData() async throws -> Pairing.OutOfBandData {
        // For both kinds of addresses: public and random.
        let answer = try await manage(.readLocalOutOfBandExtendedData, [0x06])
        // The kinds of addresses, and the count of the bytes that follow.
        return try Pairing.OutOfBandTag(parsing: answer.dropFirst(3)).data
    }

    /// Gives BlueZ our host's data.
    private func hand(_ data: Pairing.OutOfBandData, of address: DeviceAddress) async throws {
        let kind: UInt8 = address.kind == .public ? 0x01 : 0x02
        let none = [UInt8](repeating: 0, count: 32)
        let confirmation = try #require(data.confirmation)
        let random = try #require(data.random)
        let bytes = address.littleEndianBytes + [kind] + none + confirmation + random
        try await manage(.addRemoteOutOfBandData, bytes)
    }
}
