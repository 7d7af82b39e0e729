// SPDX-License-Identifier: Apache-2.0

/// A queue: first come, first served. How long it gets is for its owner to say.
struct WaitingLine<Element> {
    private var storage: [Element] = []
    /// Those before it were served.
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
        // Moving the others once in as many times as there are costs each of them one move.
        if head > storage.count / 2 { drop() }
        return element
    }

    /// Takes out those of which this is true. Each is asked once, in order.
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
