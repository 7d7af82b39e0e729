// SPDX-License-Identifier: Apache-2.0

/// A set of the most recent keys. When it is full, it discards the oldest key.
struct RecentKeys<Key: Hashable & Sendable>: Sendable {
    /// The capacity.
    let limit: Int
    private var keys: Set<Key> = []
    /// The keys in the order of insertion; a ring once it is full.
    private var order: [Key] = []
    private var oldest = 0

    /// Creates an empty set. The limit is at least 1.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Returns whether the set contains the key.
    func contains(_ key: Key) -> Bool { keys.contains(key) }

    /// Inserts the key.
    ///
    /// - Returns: `false` if the set already contained it.
    @discardableResult
    mutating func insert(_ key: Key) -> Bool {
        guard keys.insert(key).inserted else { return false }
        guard order.count == limit else {
            order.append(key)
            return true
        }
        keys.remove(order[oldest])
        order[oldest] = key
        oldest = (oldest + 1) % limit
        return true
    }

    /// Removes all keys.
    mutating func removeAll() { self = RecentKeys(limit: limit) }
}
