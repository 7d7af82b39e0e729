// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The ends of objects of one kind, links or advertising sets, and the tasks that wait for them.
struct EndWaiters<Subject: Hashable, End: Sendable> {
    typealias Waiter = CheckedContinuation<End, any Error>

    /// The number of past ends that are stored for late callers.
    private static var pastLimit: Int { 64 }

    private var waiters: [Subject: [RequestIdentifier: Waiter]] = [:]
    private var past: [(subject: Subject, end: End)] = []

    /// The end of an object; `nil` if the object has not ended, or if its end is no longer stored.
    subscript(subject: Subject) -> End? {
        past.last { $0.subject == subject }?.end
    }

    mutating func wait(
        _ waiter: Waiter,
        as identifier: RequestIdentifier,
        for subject: Subject
    ) {
        waiters[subject, default: [:]][identifier] = waiter
    }

    mutating func stopWaiting(_ identifier: RequestIdentifier, for subject: Subject) {
        waiters[subject]?.removeValue(forKey: identifier)?.resume(throwing: CancellationError())
    }

    mutating func ended(_ subject: Subject, _ end: End) {
        if past.count == Self.pastLimit { past.removeFirst() }
        past.append((subject, end))
        for (_, waiter) in waiters.removeValue(forKey: subject) ?? [:] {
            waiter.resume(returning: end)
        }
    }
}
