// SPDX-License-Identifier: Apache-2.0

/// A store in the memory of the process, for tests and for transferring data from one host to the
/// next.
public final class MemoryStore: HostStore {
    private let entries: Lock<[StoreKey: [UInt8]]>

    /// Creates a store, which is empty by default.
    public init(_ entries: [StoreKey: [UInt8]] = [:]) {
        self.entries = Lock(entries)
    }

    /// The current entries. All methods and properties may be used on any thread.
    public var contents: [StoreKey: [UInt8]] { entries.withLock { $0 } }

    /// Returns the bytes that were last saved with this key, or `nil` if there are none.
    public func load(_ key: StoreKey) -> [UInt8]? {
        entries.withLock { $0[key] }
    }

    /// Saves `bytes`.
    public func save(_ bytes: [UInt8], as key: StoreKey) {
        entries.withLock { $0[key] = bytes }
    }

    /// Removes an entry.
    public func remove(_ key: StoreKey) {
        entries.withLock { $0[key] = nil }
    }

    /// Returns all keys, in any order.
    public func keys() -> [StoreKey] {
        entries.withLock { Array($0.keys) }
    }

    /// Removes an entry. A person could not inspect an entry in memory, so the store keeps no copy.
    public func setAside(_ key: StoreKey, because reason: String) {
        remove(key)
    }
}
