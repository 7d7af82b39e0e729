// SPDX-License-Identifier: Apache-2.0

/// PDUs that wait to be sent on a bearer, in first-in, first-out order. Any element can be removed.
///
/// Removing the first element only advances an index. The array is compacted when the unused part
/// reaches half of it, so that a removal of the first element moves at most one element on average.
struct OutgoingQueue: Sendable {
    /// A PDU that waits to be sent.
    struct Element: Sendable {
        let bytes: [UInt8]
        let opcode: ATT.Opcode
        /// The caller's identifier, or `nil` for a PDU whose completion is not reported.
        let id: ATTBearer.RequestID?

        var isCommand: Bool { opcode.isCommand }
    }

    private var elements: [Element] = []
    private var head = 0

    var count: Int { elements.count - head }

    var first: Element? { head < elements.count ? elements[head] : nil }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func removeFirst() {
        precondition(head < elements.count, "an empty queue has no first element")
        head += 1
        if head * 2 >= elements.count { closeGap() }
    }

    mutating func remove(_ id: ATTBearer.RequestID) {
        closeGap()
        elements.removeAll { $0.id == id }
    }

    /// Empties the queue and returns the identifiers of its elements in order.
    mutating func removeAll() -> [ATTBearer.RequestID] {
        defer { self = OutgoingQueue() }
        return elements[head...].compactMap(\.id)
    }

    private mutating func closeGap() {
        elements.removeFirst(head)
        head = 0
    }
}
