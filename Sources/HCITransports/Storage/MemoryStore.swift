// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A store that lasts as long as the process: for tests, and to hand from one host to the next.
public final class MemoryStore: HostStore {
    private let entries: Mutex<[StoreKey: [UInt8]]>

    /// Makes a store, with nothing in it as a rule.
    public init(_ entries: [StoreKey: [UInt8]] = [:]) {
        self.entries = Mutex(entries)
    }

    /// All there is in it now. May be called from anywhere, as all of these.
    public var contents: [StoreKey: [UInt8]] { entries.withLock { $0 } }

    /// What was saved last with this key; never throws.
    public func load(_ key: StoreKey) -> [UInt8]? {
        entries.withLock { $0[key] }
    }

    /// Keeps `bytes`; never throws.
    public func save(_ bytes: [UInt8], as key: StoreKey) {
        entries.withLock { $0[key] = bytes }
    }

    /// Forgets an entry; never throws.
    public func remove(_ key: StoreKey) {
        entries.withLock { $0[key] = nil }
    }

    /// All keys, in any order; never throws.
    public func keys() -> [StoreKey] {
        entries.withLock { Array($0.keys) }
    }

    /// Forgets an entry: nobody could look at it; never throws.
    public func setAside(_ key: StoreKey, because reason: String) {
        remove(key)
    }
}
