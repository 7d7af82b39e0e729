// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The addresses with which bonded peers were last heard on the air, for dialling those whom the
/// controller does not recognise. One for each peer, so bounded by the bonds.
struct SightedAddresses: Sendable {
    struct Sighting: Sendable, Equatable {
        let address: DeviceAddress
        let at: Instant
    }

    /// For how long an address is worth dialling without another look. A peer that is private
    /// changes it four times an hour or more often.
    static let freshness: Duration = .seconds(30)

    private var last: [DeviceAddress: Sighting] = [:]

    /// The peer was heard with this address.
    mutating func note(_ address: DeviceAddress, of identity: DeviceAddress, now: Instant) {
        last[identity] = Sighting(address: address, at: now)
    }

    /// The address that the peer is likely to have still; nil if nobody knows.
    func address(of identity: DeviceAddress, now: Instant) -> DeviceAddress? {
        guard let sighting = last[identity], now - sighting.at <= Self.freshness else { return nil }
        return sighting.address
    }

    /// When the peer was heard last.
    func lastHeard(_ identity: DeviceAddress) -> Instant? { last[identity]?.at }

    /// The peer did not answer to its address.
    mutating func forget(_ identity: DeviceAddress) {
        last[identity] = nil
    }

    /// Keeps only what is known of these.
    mutating func keep(where isKept: (DeviceAddress) -> Bool) {
        last = last.filter { isKept($0.key) }
    }
}
