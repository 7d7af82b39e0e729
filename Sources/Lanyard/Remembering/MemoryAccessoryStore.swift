// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A store in memory, which ends with the process. It suits tests, and apps that must not store
/// anything. Centrals that share the object share its contents: a new central finds what an earlier
/// one remembered.
public final class MemoryAccessoryStore: AccessoryStore {
    private let remembered: Locked<[RememberedAccessory]>

    /// Creates a store with these accessories.
    ///
    /// - Parameter accessories: The accessories, in the order of pairing.
    public init(_ accessories: [RememberedAccessory] = []) {
        remembered = Locked(accessories)
    }

    /// The remembered accessories.
    public var accessories: [RememberedAccessory] { remembered.change { $0 } }

    /// Returns all remembered accessories.
    public func load() -> RememberedAccessories {
        RememberedAccessories(accessories)
    }

    /// Remembers an accessory, in place of the one with the same identity.
    ///
    /// - Parameter accessory: The data about the accessory.
    public func remember(_ accessory: RememberedAccessory) {
        remembered.change { remembered in
            if let index = remembered.firstIndex(where: { $0.identity == accessory.identity }) {
                remembered[index] = accessory
            } else {
                remembered.append(accessory)
            }
        }
    }

    /// Forgets an accessory. Does nothing if the store does not contain it.
    ///
    /// - Parameter identity: The identity of the accessory.
    public func forget(_ identity: AccessoryIdentity) {
        remembered.change { $0.removeAll { $0.identity == identity } }
    }
}

extension AccessoryStore where Self == MemoryAccessoryStore {
    /// A new store in memory.
    public static var memory: MemoryAccessoryStore { MemoryAccessoryStore() }
}
