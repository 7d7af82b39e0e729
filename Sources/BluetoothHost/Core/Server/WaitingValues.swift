// SPDX-License-Identifier: Apache-2.0

/// The PDUs of one link that wait for room in its bearer: first in, first out, removable in between.
///
/// Thousands may wait, and one leaves with every packet: to take the first only moves an index, and
/// the gap before it is closed when it has become half of the array.
struct WaitingValues: Sendable {
    private var elements: [LinkServing.Waiting] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: LinkServing.Waiting? { isEmpty ? nil : elements[head] }

    /// The requests, or our own operations, that they belong to, in their order.
    var ids: [UInt64] { elements[head...].map(\.id) }

    mutating func append(_ element: LinkServing.Waiting) {
        elements.append(element)
    }

    mutating func removeFirst() {
        precondition(!isEmpty, "nothing waits")
        head += 1
        if head * 2 >= elements.count { closeGap() }
    }

    /// Removes all that belong to these.
    mutating func remove(_ ids: Set<UInt64>) {
        closeGap()
        elements.removeAll { ids.contains($0.id) }
    }

    private mutating func closeGap() {
        elements.removeFirst(head)
        head = 0
    }
}
