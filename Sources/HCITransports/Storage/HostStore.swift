// SPDX-License-Identifier: Apache-2.0

/// Where a host keeps what has to survive it: who it is, bonds, what bonded clients configured, tables
/// of peers. Its octets are secrets.
///
/// A store maps keys to octets, and knows nothing of what they mean. A host calls it when it is made,
/// and then on its own executor, between two packets: a call should take microseconds, or milliseconds
/// if it is rare. What a store throws is told as a `SecurityEvent`; the host goes on with what it has
/// in memory.
///
/// Give each adapter a store of its own: keys name peers, and not the adapter that met them.
public protocol HostStore: Sendable {
    /// What was saved last with this key; nil if nothing was, or it has been removed.
    func load(_ key: StoreKey) throws -> [UInt8]?

    /// Keeps `bytes` instead of what the key stood for. All or nothing: whatever happens
    /// meanwhile, `load` later finds the old octets or the new ones.
    func save(_ bytes: [UInt8], as key: StoreKey) throws

    /// Forgets what the key stands for, if anything.
    func remove(_ key: StoreKey) throws

    /// All keys that stand for something, in any order.
    func keys() throws -> [StoreKey]

    /// Moves what the key stands for to where `load` and `keys` do not find it, and a person does:
    /// it is not what a host has written, and may be all that is left of something.
    func setAside(_ key: StoreKey, because reason: String) throws

    /// Lets go of the place where the octets are, if it is held: a host that has come to its end has
    /// written everything, and another one may be given the place. A store that is used after that
    /// holds it again. Does nothing if it is not implemented.
    func close()
}

extension HostStore {
    /// Does nothing: there is nothing to let go of.
    public func close() {}
}

/// The name of one entry in a `HostStore`: 1 to 64 characters, each a lower-case letter of ASCII, a
/// digit, a hyphen or, but for the first, a point. So it can be the name of a file anywhere.
public struct StoreKey: Hashable, Sendable, CustomStringConvertible {
    /// The longest key, in characters.
    public static let lengthLimit = 64

    /// The characters.
    public let description: String

    /// Makes a key; nil if the text is none.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.lengthLimit).contains(bytes.count), bytes.first != UInt8(ascii: "."),
            bytes.allSatisfy(Self.isAllowed)
        else { return nil }
        description = text
    }

    /// Makes a key of a name that is known to be one: it is made of words of the program alone.
    package init(name: String) {
        precondition(StoreKey(name) != nil, "\(name) is no key")
        description = name
    }

    private static func isAllowed(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
