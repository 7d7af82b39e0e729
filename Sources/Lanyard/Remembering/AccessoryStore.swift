// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where accessories are remembered from one launch to the next.
///
/// An application can give a store of its own, over a database or a keychain say. It is called on the
/// central's queue, one call at a time, and should not take long: an accessory is told to be ready only
/// after it was remembered. What a store throws is reported, and stops nothing: the accessory then works,
/// and what failed is tried again twice a minute, and when Bluetooth comes on.
public protocol AccessoryStore: Sendable {
    /// All that is remembered. Called before anything else, and until it does not throw.
    ///
    /// What cannot be read should be left out and told of in `setAside`; to throw means that nothing at
    /// all can be read.
    func load() throws -> RememberedAccessories

    /// Keeps an accessory, in place of the one with the same identity.
    func remember(_ accessory: RememberedAccessory) throws

    /// Keeps it no more. One that is not kept is no failure.
    func forget(_ identity: AccessoryIdentity) throws
}

/// What a store found.
public struct RememberedAccessories: Hashable, Sendable {
    /// The accessories, those that were paired first in front.
    public var accessories: [RememberedAccessory]
    /// What could not be understood.
    public var setAside: [SetAside]

    /// What was found.
    public init(_ accessories: [RememberedAccessory] = [], setAside: [SetAside] = []) {
        self.accessories = accessories
        self.setAside = setAside
    }

    /// Something that a store could not understand, and kept out of the way instead of losing it.
    public struct SetAside: Hashable, Sendable {
        /// What is wrong with it.
        public var reason: String
        /// Where it is now; nil if it is where it was.
        public var location: URL?

        /// Something that was set aside.
        public init(reason: String, location: URL? = nil) {
            self.reason = reason
            self.location = location
        }
    }
}
