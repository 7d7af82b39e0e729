// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// The state of one link as a server.
struct LinkServing: Sendable {
    /// A PDU that waits for room in the bearer.
    struct QueuedValue: Sendable {
        let pdu: ATT.PDU
        let kind: GATT.SubscriptionKind
        /// The identifier of the request, if the request has only this PDU. A PDU of a request with
        /// several PDUs, or of an indication of the server itself, has an identifier of its own.
        let id: UInt64
    }

    /// The maximum number of PDUs that wait for room in the bearer. Further PDUs are refused.
    static let queueLimit = 4_096

    /// Whether the link was reported to the application.
    var isAnnounced = false
    /// Whether the host has asked for the client's record since the link was encrypted.
    var isRecalled = false
    /// The MTU that the server knows.
    var mtu = ATT.defaultMTU
    /// The values that wait for room in the bearer's queues, in the order of the calls.
    var queue = ValueQueue()
    /// The kinds of values for which `readyToNotify` is due when there is room.
    var refusedKinds: Set<GATT.SubscriptionKind> = []
    /// The server's own unconfirmed indications, by their identifier in the bearer.
    var ownIndications: [UInt64: AttributeHandle] = [:]
    /// The requests with several PDUs, by the identifier of each PDU that is not sent, or not
    /// confirmed, yet.
    var parts: [UInt64: RequestIdentifier] = [:]
    /// The number of such PDUs of each of these requests.
    var partCounts: [RequestIdentifier: Int] = [:]

    /// The latest grants, to send a value and to read one. A grant that is still valid saves the
    /// server its checks.
    var sendingGrant: SendingGrant?
    var readingGrant: ReadingGrant?

    /// Counts a sent part of a request. Returns the request if that was the last part.
    mutating func partSent(_ id: UInt64) -> RequestIdentifier? {
        guard let request = parts.removeValue(forKey: id), let count = partCounts[request] else {
            return nil
        }
        partCounts[request] = count > 1 ? count - 1 : nil
        return count > 1 ? nil : request
    }

    /// Removes a request. Returns the identifiers that its PDUs may have in the bearer.
    mutating func forget(_ request: RequestIdentifier) -> [UInt64] {
        let ids =
            partCounts.removeValue(forKey: request) == nil
            ? [request.rawValue] : parts.filter { $0.value == request }.map(\.key)
        for id in ids { parts[id] = nil }
        queue.remove(Set(ids))
        return ids
    }
}

/// The PDUs of one link that wait for room in its bearer, in the order in which they are sent.
///
/// Thousands of PDUs may wait. Removing the first PDU therefore only moves an index. The gap before
/// the index is closed when it fills half of the array.
struct ValueQueue: Sendable {
    private var elements: [LinkServing.QueuedValue] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: LinkServing.QueuedValue? { isEmpty ? nil : elements[head] }

    /// The identifiers of the values, in their order.
    var ids: [UInt64] { elements[head...].map(\.id) }

    mutating func append(_ element: LinkServing.QueuedValue) {
        elements.append(element)
    }

    mutating func removeFirst() {
        precondition(!isEmpty, "the queue is empty")
        head += 1
        if head * 2 >= elements.count { closeGap() }
    }

    mutating func remove(_ ids: Set<UInt64>) {
        closeGap()
        elements.removeAll { ids.contains($0.id) }
    }

    private mutating func closeGap() {
        elements.removeFirst(head)
        head = 0
    }
}
