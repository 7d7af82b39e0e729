// SPDX-License-Identifier: Apache-2.0

/// A dictionary that has a bound: what was not used for longest is forgotten first.
///
/// It keeps two generations. What is used belongs to the young one; when that is full it becomes the
/// old one, and what was old is forgotten. So nothing is looked through, and what is among the last
/// `generationLimit` used is there.
struct Recollection<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// How many entries a generation has at most.
    let generationLimit: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(generationLimit: Int) {
        self.generationLimit = generationLimit
    }

    /// An entry, which is used by that.
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

    /// An entry, which is not used by that.
    func peek(_ key: Key) -> Value? { young[key] ?? old[key] }

    /// All there are.
    var entries: [Key: Value] { old.merging(young) { $1 } }

    private mutating func insert(_ value: Value, for key: Key) {
        if young.count >= generationLimit, young[key] == nil {
            old = young
            young = [:]
        }
        old[key] = nil
        young[key] = value
    }
}
