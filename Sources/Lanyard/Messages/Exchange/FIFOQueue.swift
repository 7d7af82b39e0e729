// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out queue. Its owner limits the length.
struct FIFOQueue<Element> {
    private var storage: [Element] = []
    /// The index of the first waiting element.
    private var head = 0

    var count: Int { storage.count - head }
    var first: Element? { head < storage.count ? storage[head] : nil }
    var elements: ArraySlice<Element> { storage[head...] }

    mutating func append(_ element: Element) {
        storage.append(element)
    }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        head += 1
        // The remaining elements move only after more than half of the storage was consumed, so the
        // cost is about one move for each element.
        if head > storage.count / 2 { drop() }
        return element
    }

    /// Removes and returns the elements for which the test is `true`. Each is tested once, in
    /// order.
    @discardableResult
    mutating func removeAll(where test: (Element) -> Bool) -> [Element] {
        drop()
        var removed: [Element] = []
        storage.removeAll { element in
            guard test(element) else { return false }
            removed.append(element)
            return true
        }
        return removed
    }

    private mutating func drop() {
        storage.removeFirst(head)
        head = 0
    }
}
