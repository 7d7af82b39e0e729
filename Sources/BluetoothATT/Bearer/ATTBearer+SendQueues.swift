// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATTBearer {
    /// One of the bearer's three queues of PDUs, which take turns to send.
    enum SendQueue: Sendable {
        case indications
        case notifications
        case requests

        var next: SendQueue {
            switch self {
            case .indications: .notifications
            case .notifications: .requests
            case .requests: .indications
            }
        }
    }

    /// Returns the first PDU of the next queue that can send one. The queue that sent last comes
    /// last.
    mutating func nextInTurn(now: Instant) -> Outgoing? {
        let latest = latestQueue
        latestQueue = latest.next
        if let outgoing = next(of: latestQueue, now: now) { return outgoing }
        latestQueue = latestQueue.next
        if let outgoing = next(of: latestQueue, now: now) { return outgoing }
        latestQueue = latest
        return next(of: latest, now: now)
    }

    private mutating func next(of queue: SendQueue, now: Instant) -> Outgoing? {
        switch queue {
        case .indications: nextIndication(now: now)
        case .notifications: nextNotification()
        case .requests: nextRequest(now: now)
        }
    }

    private mutating func nextNotification() -> Outgoing? {
        guard let next = notifications.first else { return nil }
        notifications.removeFirst()
        return Outgoing(bytes: truncated(next.bytes), completedCommand: next.id)
    }

    /// Returns the next indication, unless the previous one is not confirmed yet (Vol 3, Part F,
    /// 3.3.2).
    private mutating func nextIndication(now: Instant) -> Outgoing? {
        guard unconfirmed == nil, let next = indications.first else { return nil }
        indications.removeFirst()
        unconfirmed = .init(id: next.id, deadline: now + Self.transactionTimeout)
        return Outgoing(bytes: truncated(next.bytes), completedCommand: nil)
    }

    /// Returns a notification or indication, truncated to the MTU. The MTU may have decreased since
    /// the PDU was made. The client can read the complete value (Vol 3, Part F, 3.4.7).
    private func truncated(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > mtu else { return bytes }
        guard case .multipleHandleValueNotification(let list)? = try? ATT.PDU(parsing: bytes[...])
        else { return Array(bytes.prefix(mtu)) }
        return list.truncated(to: mtu)
    }

    /// Returns the next request or command. A request waits until the previous one is answered, and
    /// the PDUs enqueued after it wait with it.
    private mutating func nextRequest(now: Instant) -> Outgoing? {
        guard let next = queue.first, next.isCommand || outstanding == nil else { return nil }
        queue.removeFirst()
        guard !next.isCommand else {
            return Outgoing(bytes: next.bytes, completedCommand: next.id)
        }
        outstanding = next.id.map {
            let deadline = now + Self.transactionTimeout
            return OutstandingRequest(id: $0, opcode: next.opcode, deadline: deadline)
        }
        return Outgoing(bytes: next.bytes, completedCommand: nil)
    }
}

extension ATT.MultipleHandleValueNotification {
    /// Returns the PDU of the complete values that fit into the MTU. If fewer than two values fit,
    /// the PDU is a notification of the first value, truncated if necessary.
    fileprivate func truncated(to mtu: Int) -> [UInt8] {
        var length = 1
        let kept = entries.prefix { entry in
            length += 4 + entry.value.count
            return length <= mtu
        }
        if kept.count > 1 { return Self(entries: Array(kept)).encode() }
        let first = ATT.HandleValueNotification(handle: entries[0].handle, value: entries[0].value)
        return Array(first.encode().prefix(mtu))
    }
}
