// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

/// The entries that a host has in its store, by what they are of.
enum RecordName: Hashable, Sendable {
    /// Who the host is.
    case identity
    /// Which bonded peers were met last.
    case order
    /// The keys that are shared with a peer.
    case bond(DeviceAddress)
    /// The counter of what is signed for a peer.
    case counter(DeviceAddress)
    /// What a peer has configured as a client.
    case client(DeviceAddress)
    /// The table of a peer.
    case database(DeviceAddress)

    /// What an entry is, as its first octets say.
    enum Kind: UInt8, Sendable, CaseIterable {
        case identity = 1
        case order = 2
        case bond = 3
        case counter = 4
        case client = 5
        case database = 6
    }

    var kind: Kind {
        switch self {
        case .identity: .identity
        case .order: .order
        case .bond: .bond
        case .counter: .counter
        case .client: .client
        case .database: .database
        }
    }

    /// Whose the entry is, by the address that stays the same; nil if it is the host's own.
    var peer: DeviceAddress? {
        switch self {
        case .identity, .order: nil
        case .bond(let peer), .counter(let peer), .client(let peer), .database(let peer): peer
        }
    }

    /// The key: `order`, `bond-random-c0ffee000001`.
    var key: StoreKey {
        let suffix = peer.map { peer in
            let kind = peer.kind == .public ? "public" : "random"
            return "-\(kind)-\(peer.littleEndianBytes.reversed().hexadecimal)"
        }
        return StoreKey(name: "\(kind)\(suffix ?? "")")
    }

    /// What a key names; nil if it is none of ours.
    init?(_ key: StoreKey) {
        let parts = key.description.split(separator: "-", omittingEmptySubsequences: false)
        let kind = Kind.allCases.first { "\($0)" == parts[0] }
        guard let kind, let name = Self(kind, Array(parts.dropFirst())), name.key == key else {
            return nil
        }
        self = name
    }

    private init?(_ kind: Kind, _ parts: [Substring]) {
        if parts.isEmpty {
            guard kind == .identity || kind == .order else { return nil }
            self = kind == .identity ? .identity : .order
            return
        }
        guard parts.count == 2, ["public", "random"].contains(parts[0]),
            let octets = [UInt8](hexadecimal: parts[1]),
            let peer = DeviceAddress(
                littleEndian: octets.reversed(),
                kind: parts[0] == "public" ? .public : .random
            )
        else { return nil }
        switch kind {
        case .identity, .order: return nil
        case .bond: self = .bond(peer)
        case .counter: self = .counter(peer)
        case .client: self = .client(peer)
        case .database: self = .database(peer)
        }
    }
}
