// SPDX-License-Identifier: Apache-2.0

/// The last few different keys that were seen; when it is full, the oldest is forgotten.
struct RecentKeys<Key: Hashable & Sendable>: Sendable {
    /// How many keys are remembered.
    let limit: Int
    private var keys: Set<Key> = []
    /// The keys in the order in which they came; a ring once it is full.
    private var order: [Key] = []
    private var oldest = 0

    /// Nothing seen. The limit is 1 or more.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Whether the key is remembered.
    func contains(_ key: Key) -> Bool { keys.contains(key) }

    /// Remembers the key. False if it was remembered already.
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

    /// Forgets everything.
    mutating func removeAll() { self = RecentKeys(limit: limit) }
}
