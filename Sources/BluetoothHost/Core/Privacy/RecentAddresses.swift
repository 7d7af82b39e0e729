// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The addresses with which bonded peers were last received, used to connect to peers that the
/// controller does not recognize. There is one for each peer, so the number of bonds is the bound.
struct RecentAddresses: Sendable {
    private struct Entry: Sendable, Equatable {
        let address: DeviceAddress
        let receivedAt: Instant
    }

    /// The time for which an address is used without a new search for the peer. A private peer
    /// usually changes its address four times an hour or more often.
    static let freshness: Duration = .seconds(30)

    private var entries: [DeviceAddress: Entry] = [:]

    /// Records the address with which the peer was received.
    mutating func note(_ address: DeviceAddress, of identity: DeviceAddress, now: Instant) {
        entries[identity] = Entry(address: address, receivedAt: now)
    }

    /// Returns the address that the peer probably still has, or `nil` if none is known.
    func address(of identity: DeviceAddress, now: Instant) -> DeviceAddress? {
        guard let entry = entries[identity], now - entry.receivedAt <= Self.freshness else {
            return nil
        }
        return entry.address
    }

    func lastReceived(_ identity: DeviceAddress) -> Instant? { entries[identity]?.receivedAt }

    mutating func forget(_ identity: DeviceAddress) {
        entries[identity] = nil
    }

    /// Removes all addresses except those that `isKept` selects by the identity of the peer.
    mutating func keep(where isKept: (DeviceAddress) -> Bool) {
        entries = entries.filter { isKept($0.key) }
    }
}
