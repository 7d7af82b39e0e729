// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The storage of accessories from one launch to the next.
///
/// An app can provide its own store, for example over a database or a keychain. The central makes
/// one call at a time: the first call on the thread that creates the central, and all others on the
/// central's queue. A call should be short, because an accessory becomes ready only after it was
/// remembered. The central reports an error of the store and continues: the accessory works, and
/// the central repeats the failed call every 30 seconds and whenever Bluetooth becomes available.
public protocol AccessoryStore: Sendable {
    /// Returns all remembered accessories. This is the first call, and the central repeats it until
    /// it succeeds.
    ///
    /// A store should leave out unreadable entries and list them in
    /// `RememberedAccessories.setAside`.
    ///
    /// - Throws: Any error if the store can read nothing.
    func load() throws -> RememberedAccessories

    /// Remembers an accessory, in place of the one with the same identity.
    ///
    /// - Parameter accessory: The data about the accessory.
    /// - Throws: Any error if the store did not change.
    func remember(_ accessory: RememberedAccessory) throws

    /// Forgets an accessory. An unknown accessory is not an error.
    ///
    /// - Parameter identity: The identity of the accessory.
    /// - Throws: Any error if the store did not change.
    func forget(_ identity: AccessoryIdentity) throws
}

/// The contents of a store.
public struct RememberedAccessories: Hashable, Sendable {
    /// The accessories, in the order of pairing.
    public var accessories: [RememberedAccessory]
    /// The unreadable entries.
    public var setAside: [SetAside]

    /// Creates the contents of a store.
    ///
    /// - Parameters:
    ///   - accessories: The accessories, in the order of pairing.
    ///   - setAside: The unreadable entries.
    public init(_ accessories: [RememberedAccessory] = [], setAside: [SetAside] = []) {
        self.accessories = accessories
        self.setAside = setAside
    }

    /// An unreadable entry that a store has preserved.
    public struct SetAside: Hashable, Sendable {
        /// The reason why the entry is unreadable.
        public var reason: String
        /// The new location of the entry; `nil` if it was not moved.
        public var location: URL?

        /// Creates a description of an unreadable entry.
        ///
        /// - Parameters:
        ///   - reason: The reason why the entry is unreadable.
        ///   - location: The new location of the entry; `nil` if it was not moved.
        public init(reason: String, location: URL? = nil) {
            self.reason = reason
            self.location = location
        }
    }
}
