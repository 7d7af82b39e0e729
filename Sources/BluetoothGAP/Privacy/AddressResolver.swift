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
        /// The fixed address that the peer uses beside its identity address; `nil` if it has none.
        package let otherAddress: DeviceAddress?

        package init(
            identity: DeviceAddress,
            key: HCI.Key128,
            otherAddress: DeviceAddress? = nil
        ) {
            self.identity = identity
            self.key = key
            self.otherAddress = otherAddress
        }
    }

    /// The number of addresses in a generation.
    package static let generationLimit = 2_048

    private var peers: [Peer] = []
    private var identities: Set<DeviceAddress> = []
    /// The identity addresses of the peers with other fixed addresses, by these addresses.
    private var others: [DeviceAddress: DeviceAddress] = [:]
    /// The keys of the peers at the same indices, with `nil` for a key that is all zero.
    private var keys: [ResolvingKey?] = []
    /// The index of the peer for each address, or `nil` if the address belongs to no peer.
    private var young: [UInt64: Int?] = [:]
    private var old: [UInt64: Int?] = [:]

    package init() {}

    /// The number of addresses in the cache.
    package var cachedCount: Int { young.count + old.count }

    /// Whether the resolver has no peers. A peer whose key is all zero counts only if it has another
    /// fixed address.
    package var isEmpty: Bool { identities.isEmpty }

    /// Returns whether the resolver has the peer with this identity address. A peer whose key is
    /// all zero counts only if it has another fixed address.
    package func knows(_ identity: DeviceAddress) -> Bool { identities.contains(identity) }

    /// Returns whether the peer with this identity address uses another fixed address.
    package func knowsOtherAddress(of identity: DeviceAddress) -> Bool {
        others.values.contains(identity)
    }

    /// Replaces the peers. Keys that are in use already stay prepared. A change empties the cache.
    package mutating func setPeers(_ newPeers: [Peer]) {
        guard newPeers != peers else { return }
        let known = Dictionary(zip(peers.map(\.key), keys)) { first, _ in first }
        keys = newPeers.map { known[$0.key] ?? ResolvingKey($0.key) }
        peers = newPeers
        let others = newPeers.compactMap { peer in peer.otherAddress.map { ($0, peer.identity) } }
        self.others = Dictionary(others) { first, _ in first }
        identities = Set(zip(newPeers, keys).compactMap { $1 == nil ? nil : $0.identity })
            .union(self.others.values)
        young = [:]
        old = [:]
    }

    /// Returns the identity address of the peer with this private address or other fixed address, or
    /// `nil` if the address belongs to no peer or is an identity address.
    package mutating func resolve(_ address: DeviceAddress) -> DeviceAddress? {
        guard !isEmpty else { return nil }
        guard address.randomKind == .resolvablePrivate else { return others[address] }
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
