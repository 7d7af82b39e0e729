// SPDX-License-Identifier: Apache-2.0

/// Requests and commands that wait to leave a bearer: first in, first out, removable in between.
///
/// Taking from the front only moves an index; the gap before it is closed when it has become half
/// of the array, so that each element is moved a bounded number of times.
struct OutgoingQueue: Sendable {
    /// A PDU that waits.
    struct Element: Sendable {
        let bytes: [UInt8]
        let opcode: ATT.Opcode
        /// The caller's name for it; nil for a command that nobody wants to hear of.
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

    /// Removes whatever carries that name.
    mutating func remove(_ id: ATTBearer.RequestID) {
        closeGap()
        elements.removeAll { $0.id == id }
    }

    /// Empties the queue; returns the names that were in it, in order.
    mutating func removeAll() -> [ATTBearer.RequestID] {
        defer { self = OutgoingQueue() }
        return elements[head...].compactMap(\.id)
    }

    private mutating func closeGap() {
        elements.removeFirst(head)
        head = 0
    }
}
