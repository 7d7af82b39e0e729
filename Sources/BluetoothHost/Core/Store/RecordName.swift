// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

/// The kind and the subject of an entry in a host's store.
enum RecordName: Hashable, Sendable {
    /// The identity of the host.
    case identity
    /// The key from which the host derives the identifiers of peers.
    case secret
    /// The order in which the bonded peers last proved their identity.
    case order
    /// The keys that are shared with a peer.
    case bond(DeviceAddress)
    /// The counter of the commands that the host signs for a peer.
    case counter(DeviceAddress)
    /// The configuration of a peer as a client.
    case client(DeviceAddress)
    /// The database of a peer.
    case database(DeviceAddress)
    /// A record that an application stores under this name.
    case application(ApplicationName)

    /// The kind of an entry, as stored in its header.
    enum Kind: UInt8, Sendable, CaseIterable {
        case identity = 1
        case order = 2
        case bond = 3
        case counter = 4
        case client = 5
        case database = 6
        case secret = 7
        case application = 8
    }

    var kind: Kind {
        switch self {
        case .identity: .identity
        case .order: .order
        case .bond: .bond
        case .counter: .counter
        case .client: .client
        case .database: .database
        case .secret: .secret
        case .application: .application
        }
    }

    /// The identity address of the entry's peer, or `nil` if the entry does not belong to a peer.
    var peer: DeviceAddress? {
        switch self {
        case .identity, .secret, .order, .application: nil
        case .bond(let peer), .counter(let peer), .client(let peer), .database(let peer): peer
        }
    }

    /// The store's key, such as `order` or `bond-random-c0ffee000001`.
    var key: StoreKey {
        if case .application(let name) = self { return StoreKey(name: "\(kind)-\(name)") }
        let suffix = peer.map { peer in
            let kind = peer.kind == .public ? "public" : "random"
            return "-\(kind)-\(peer.littleEndianBytes.reversed().hexadecimal)"
        }
        return StoreKey(name: "\(kind)\(suffix ?? "")")
    }

    /// Parses a key. Returns `nil` if it is not a key of this host's entries.
    init?(_ key: StoreKey) {
        let parts = key.description.split(separator: "-", omittingEmptySubsequences: false)
        let kind = Kind.allCases.first { "\($0)" == parts[0] }
        guard let kind, let name = Self(kind, Array(parts.dropFirst())), name.key == key else {
            return nil
        }
        self = name
    }

    private init?(_ kind: Kind, _ parts: [Substring]) {
        if kind == .application {
            guard let name = ApplicationName(parts.joined(separator: "-")) else { return nil }
            self = .application(name)
            return
        }
        if parts.isEmpty {
            guard let own = Self.own(kind) else { return nil }
            self = own
            return
        }
        guard parts.count == 2, ["public", "random"].contains(parts[0]),
            let bytes = [UInt8](hexadecimal: parts[1]),
            let peer = DeviceAddress(
                littleEndian: bytes.reversed(),
                kind: parts[0] == "public" ? .public : .random
            )
        else { return nil }
        switch kind {
        case .identity, .secret, .order, .application: return nil
        case .bond: self = .bond(peer)
        case .counter: self = .counter(peer)
        case .client: self = .client(peer)
        case .database: self = .database(peer)
        }
    }

    /// Returns the entry of a kind that has only one entry.
    private static func own(_ kind: Kind) -> Self? {
        switch kind {
        case .identity: .identity
        case .secret: .secret
        case .order: .order
        case .bond, .counter, .client, .database, .application: nil
        }
    }
}

/// The name of an application's record: lowercase ASCII letters, digits and hyphens.
struct ApplicationName: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of a name in characters, so that the store's key is valid.
    static let lengthLimit = StoreKey.lengthLimit - "application-".utf8.count

    let description: String

    /// Creates a name, or returns `nil` if the text is not valid.
    init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { character in
            switch character {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard (1...Self.lengthLimit).contains(text.utf8.count), isAllowed else { return nil }
        description = text
    }
}
