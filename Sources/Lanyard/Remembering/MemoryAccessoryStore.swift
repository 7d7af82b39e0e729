// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A store that ends with the process, for tests, and for those who want nothing to be kept. It is the
/// same for all who are given it: a central that is made anew on it finds what another one left.
public final class MemoryAccessoryStore: AccessoryStore {
    private let kept: Guarded<[RememberedAccessory]>

    /// A store with these in it.
    public init(_ accessories: [RememberedAccessory] = []) {
        kept = Guarded(accessories)
    }

    /// What is in it.
    public var accessories: [RememberedAccessory] { kept.change { $0 } }

    /// All that is remembered.
    public func load() -> RememberedAccessories {
        RememberedAccessories(accessories)
    }

    /// Keeps an accessory, in place of the one with the same identity.
    public func remember(_ accessory: RememberedAccessory) {
        kept.change { kept in
            if let index = kept.firstIndex(where: { $0.identity == accessory.identity }) {
                kept[index] = accessory
            } else {
                kept.append(accessory)
            }
        }
    }

    /// Keeps it no more.
    public func forget(_ identity: AccessoryIdentity) {
        kept.change { $0.removeAll { $0.identity == identity } }
    }
}

extension AccessoryStore where Self == MemoryAccessoryStore {
    /// A new one that ends with the process.
    public static var memory: MemoryAccessoryStore { MemoryAccessoryStore() }
}
