// SPDX-License-Identifier: Apache-2.0

/// The storage for the data of a host that must outlive it: its identity, bonds, the configurations
/// of bonded clients, and databases of peers. The data is secret.
///
/// A store maps keys to bytes and does not interpret them. A host calls its store when the host is
/// created, and later on its own executor between two packets. A call should take microseconds, or
/// milliseconds if it is rare. The host reports an error of the store as a `SecurityEvent`, and
/// continues with its data in memory.
///
/// Use a separate store for each adapter, because keys identify peers but not adapters.
public protocol HostStore: Sendable {
    /// Returns the bytes that were last saved with this key, or `nil` if there are none or they
    /// were removed.
    func load(_ key: StoreKey) throws -> [UInt8]?

    /// Saves `bytes` and replaces the previous bytes of the key.
    ///
    /// The operation must be atomic: after any failure, `load` returns either the old bytes or the
    /// new ones. When `save` returns, the bytes must survive a power failure, because the host then
    /// acknowledges the change to the peer.
    func save(_ bytes: [UInt8], as key: StoreKey) throws

    /// Removes the bytes of a key, if there are any.
    func remove(_ key: StoreKey) throws

    /// Returns all keys with bytes, in any order.
    func keys() throws -> [StoreKey]

    /// Moves the bytes of a key, which the host cannot use, to a place where `load` and `keys` do
    /// not find them but a person can. They are not removed, because they may be the last copy of
    /// some data.
    func setAside(_ key: StoreKey, because reason: String) throws

    /// Releases the storage if the store uses it exclusively, so that another store can use it. The
    /// host calls this method when it ends, after it has written all its data.
    ///
    /// After `close()`, the next call of another method makes the store acquire the storage again.
    /// The default implementation does nothing.
    func close()
}

extension HostStore {
    /// Does nothing, because there is nothing to release.
    public func close() {}
}

/// The name of an entry in a `HostStore`: 1 to 64 characters, each a lowercase ASCII letter, a
/// digit, a hyphen or, except at the start, a period. It is a valid file name on Linux and on
/// Apple's platforms.
public struct StoreKey: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of a key in characters.
    public static let lengthLimit = 64

    /// The characters of the key.
    public let description: String

    /// Creates a key, or returns `nil` if the text is not a valid one.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.lengthLimit).contains(bytes.count), bytes.first != UInt8(ascii: "."),
            bytes.allSatisfy(Self.isAllowed)
        else { return nil }
        description = text
    }

    /// Creates a key from a name that is known to be valid, because the program composes it from
    /// its own words.
    package init(name: String) {
        precondition(StoreKey(name) != nil, "\(name) is not a valid key")
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
