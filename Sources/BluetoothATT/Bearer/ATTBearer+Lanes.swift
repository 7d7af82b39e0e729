// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATTBearer {
    /// One of the queues that take turns.
    enum Lane: Sendable {
        case indications
        case notifications
        case requests

        var next: Lane {
            switch self {
            case .indications: .notifications
            case .notifications: .requests
            case .requests: .indications
            }
        }
    }

    /// The first PDU of the next lane that may send one; the lane that sent last comes last.
    mutating func nextOfLanes(now: Instant) -> Outgoing? {
        let latest = latestLane
        latestLane = latest.next
        if let outgoing = next(of: latestLane, now: now) { return outgoing }
        latestLane = latestLane.next
        if let outgoing = next(of: latestLane, now: now) { return outgoing }
        latestLane = latest
        return next(of: latest, now: now)
    }

    private mutating func next(of lane: Lane, now: Instant) -> Outgoing? {
        switch lane {
        case .indications: nextIndication(now: now)
        case .notifications: nextNotification()
        case .requests: nextRequest(now: now)
        }
    }

    private mutating func nextNotification() -> Outgoing? {
        guard let next = notifications.first else { return nil }
        notifications.removeFirst()
        return Outgoing(bytes: next.bytes, completedCommand: next.id)
    }

    /// An indication waits until the one before it is confirmed (Vol 3, Part F, 3.3.2).
    private mutating func nextIndication(now: Instant) -> Outgoing? {
        guard unconfirmed == nil, let next = indications.first else { return nil }
        indications.removeFirst()
        unconfirmed = .init(id: next.id, deadline: now + Self.transactionTimeout)
        return Outgoing(bytes: next.bytes, completedCommand: nil)
    }

    /// A request waits until the one before it is answered, and what was handed over after it
    /// waits with it.
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
