// SPDX-License-Identifier: Apache-2.0

/// A cache of bounded size that drops the least recently used entries.
///
/// It has two generations. Using an entry moves it to the young generation. When the young
/// generation is full, it replaces the old one, whose entries are dropped. Each access takes
/// constant time on average, and the last `generationLimit` entries used are always present.
struct RecencyCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The maximum number of entries in a generation.
    let generationLimit: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(generationLimit: Int) {
        self.generationLimit = generationLimit
    }

    /// The value of a key. Reading it counts as a use.
    subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old[key] else { return nil }
            insert(value, for: key)
            return value
        }
        set {
            old[key] = nil
            guard let newValue else {
                young[key] = nil
                return
            }
            insert(newValue, for: key)
        }
    }

    /// Returns the value of a key. Does not count as a use.
    func peek(_ key: Key) -> Value? { young[key] ?? old[key] }

    private mutating func insert(_ value: Value, for key: Key) {
        if young.count >= generationLimit, young[key] == nil {
            old = young
            young = [:]
        }
        old[key] = nil
        young[key] = value
    }
}
