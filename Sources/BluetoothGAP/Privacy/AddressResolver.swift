// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// A resolver of private addresses in the host, for peers that the controller does not resolve (Vol
/// 3, Part C, 10.8.2.3).
///
/// A resolution takes one encryption for each key, and an advertiser sends the same address many
/// times a second. The resolver therefore caches the results until the keys change.
///
/// The cache is bounded by two generations. When the young generation is full, it replaces the old
/// one.
package struct AddressResolver: Sendable {
    /// A peer with private addresses.
    package struct Peer: Hashable, Sendable {
        package let identity: DeviceAddress
        /// The Identity Resolving Key.
        package let key: HCI.Key128

        package init(identity: DeviceAddress, key: HCI.Key128) {
            self.identity = identity
            self.key = key
        }
    }

    /// The number of addresses in a generation.
    package static let generationLimit = 2_048

    private var peers: [Peer] = []
    private var identities: Set<DeviceAddress> = []
    /// The keys of the peers at the same indices, with `nil` for a key that is all zero.
    private var keys: [ResolvingKey?] = []
    /// The index of the peer for each address, or `nil` if the address belongs to no peer.
    private var young: [UInt64: Int?] = [:]
    private var old: [UInt64: Int?] = [:]

    package init() {}

    /// The number of addresses in the cache.
    package var cachedCount: Int { young.count + old.count }

    /// Whether the resolver has no peers. A peer whose key is all zero does not count.
    package var isEmpty: Bool { identities.isEmpty }

    /// Returns whether the resolver has the peer with this identity address. A peer whose key is
    /// all zero does not count.
    package func knows(_ identity: DeviceAddress) -> Bool { identities.contains(identity) }

    /// Replaces the peers. Keys that are in use already stay prepared. A change empties the cache.
    package mutating func setPeers(_ newPeers: [Peer]) {
        guard newPeers != peers else { return }
        let known = Dictionary(zip(peers.map(\.key), keys)) { first, _ in first }
        keys = newPeers.map { known[$0.key] ?? ResolvingKey($0.key) }
        peers = newPeers
        identities = Set(zip(newPeers, keys).compactMap { $1 == nil ? nil : $0.identity })
        young = [:]
        old = [:]
    }

    /// Returns the identity address of the peer with this address, or `nil` if the address is not
    /// resolvable or belongs to no peer.
    package mutating func resolve(_ address: DeviceAddress) -> DeviceAddress? {
        guard !isEmpty, address.randomKind == .resolvablePrivate else { return nil }
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
