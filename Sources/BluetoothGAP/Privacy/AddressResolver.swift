// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// Recognises peers by their private addresses, on the host's side: those that the controller has no
/// room for, or cannot recognise at all (Vol 3, Part C, 10.8.2.3).
///
/// To try an address takes an encryption for each key, and an advertiser shows the same address many
/// times a second. So it is remembered what came of it, for better or worse, until the keys change.
///
/// Bounded: there are two generations of memories. When the young one is full it becomes the old one,
/// and the old one is forgotten.
package struct AddressResolver: Sendable {
    /// A peer with private addresses.
    package struct Peer: Hashable, Sendable {
        /// The address that stays the same.
        package let identity: DeviceAddress
        /// What its private addresses are made with.
        package let key: HCI.Key128

        package init(identity: DeviceAddress, key: HCI.Key128) {
            self.identity = identity
            self.key = key
        }
    }

    /// How many addresses a generation holds: more than devices in any room.
    package static let generationLimit = 2_048

    private var peers: [Peer] = []
    private var identities: Set<DeviceAddress> = []
    /// The keys of the peers, at the same places; nil for one that is all zero.
    private var keys: [ResolvingKey?] = []
    /// The places of peers; nil: the address is nobody's.
    private var young: [UInt64: Int?] = [:]
    private var old: [UInt64: Int?] = [:]

    /// Recognises nobody yet.
    package init() {}

    /// How many addresses are remembered.
    package var rememberedCount: Int { young.count + old.count }

    /// Whether there is anybody to be recognised.
    package var knowsAnybody: Bool { !identities.isEmpty }

    /// Whether the peer with this identity address can be recognised by others of its addresses.
    package func knows(_ identity: DeviceAddress) -> Bool { identities.contains(identity) }

    /// From now on recognises these peers and no others. Keys that were known before stay prepared;
    /// what is remembered is forgotten if anything has changed.
    package mutating func setPeers(_ newPeers: [Peer]) {
        guard newPeers != peers else { return }
        let known = Dictionary(zip(peers.map(\.key), keys)) { first, _ in first }
        keys = newPeers.map { known[$0.key] ?? ResolvingKey($0.key) }
        peers = newPeers
        identities = Set(zip(newPeers, keys).compactMap { $1 == nil ? nil : $0.identity })
        young = [:]
        old = [:]
    }

    /// The identity address of the peer that uses this address; nil if it is not private, or nobody's
    /// who is known.
    package mutating func resolve(_ address: DeviceAddress) -> DeviceAddress? {
        guard knowsAnybody, address.randomKind == .resolvablePrivate else { return nil }
        if let place = young[address.value] { return place.map { peers[$0].identity } }
        let place = old.removeValue(forKey: address.value) ?? search(address)
        remember(place, for: address)
        return place.map { peers[$0].identity }
    }

    private func search(_ address: DeviceAddress) -> Int? {
        keys.firstIndex { $0?.resolves(address) ?? false }
    }

    private mutating func remember(_ place: Int?, for address: DeviceAddress) {
        if young.count >= Self.generationLimit {
            old = young
            young = [:]
        }
        young[address.value] = .some(place)
    }
}
