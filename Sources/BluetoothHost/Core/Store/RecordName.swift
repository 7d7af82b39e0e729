// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

/// The entries that a host has in its store, by what they are of.
enum RecordName: Hashable, Sendable {
    /// Who the host is.
    case identity
    /// What the host gives identifiers of peers by.
    case secret
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
    /// What an application keeps under a name of its own.
    case application(ApplicationName)

    /// What an entry is, as its first octets say.
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

    /// Whose the entry is, by the address that stays the same; nil if it is no peer's.
    var peer: DeviceAddress? {
        switch self {
        case .identity, .secret, .order, .application: nil
        case .bond(let peer), .counter(let peer), .client(let peer), .database(let peer): peer
        }
    }

    /// The key: `order`, `bond-random-c0ffee000001`.
    var key: StoreKey {
        if case .application(let name) = self { return StoreKey(name: "\(kind)-\(name)") }
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
            let octets = [UInt8](hexadecimal: parts[1]),
            let peer = DeviceAddress(
                littleEndian: octets.reversed(),
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

    /// The entries that there is one of.
    private static func own(_ kind: Kind) -> Self? {
        switch kind {
        case .identity: .identity
        case .secret: .secret
        case .order: .order
        case .bond, .counter, .client, .database, .application: nil
        }
    }
}

/// The name of something that an application keeps: lower-case letters of ASCII, digits and hyphens.
struct ApplicationName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name, in characters: so long that the store's key is one.
    static let lengthLimit = StoreKey.lengthLimit - "application-".utf8.count

    let description: String

    /// Nil for text that is no name.
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
