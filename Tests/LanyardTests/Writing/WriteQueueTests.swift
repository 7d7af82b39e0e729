// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

@Suite("Write queue")
struct WriteQueueTests {
    private static let path = CharacteristicPath("180D", "2A39")
    private static let characteristic = AttributeReference.next()
    private let capacity = WriteCapacity(
        withResponse: 512,
        withoutResponse: 20,
        canSendWithoutResponse: true
    )
    private let notReady = WriteCapacity(
        withResponse: 512,
        withoutResponse: 20,
        canSendWithoutResponse: false
    )
    private let noLink = WriteCapacity(
        withResponse: 0,
        withoutResponse: 0,
        canSendWithoutResponse: false
    )

    private func job(
        _ number: Int,
        _ count: Int,
        withResponse: Bool = true,
        mayBeCut: Bool = false
    ) -> WriteJob {
        WriteJob(
            number: number,
            value: Data(repeating: UInt8(number), count: count),
            path: Self.path,
            characteristic: Self.characteristic,
            withResponse: withResponse,
            mayBeCut: mayBeCut
        )
    }

    private func write(_ number: Int, _ count: Int, withResponse: Bool = true) -> WriteAction {
        .write(
            Data(repeating: UInt8(number), count: count),
            to: Self.characteristic,
            Self.path,
            withResponse: withResponse
        )
    }

    /// Returns all actions until there are none.
    private func drain(
        _ queue: inout WriteQueue,
        _ capacity: WriteCapacity,
        now: Duration = .zero
    ) -> [WriteAction] {
        var actions: [WriteAction] = []
        while let action = queue.next(capacity, now: now) { actions.append(action) }
        return actions
    }

    @Test("One write with response is in progress at a time, in order")
    func confirmed() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        try queue.add(job(1, 3), now: .zero)
        try queue.add(job(2, 4), now: .zero)
        #expect(drain(&queue, capacity) == [write(1, 3)])
        queue.confirmed(Self.path, nil, now: .seconds(1))
        #expect(
            drain(&queue, capacity) == [
                .progressed(job: 1, sent: 3), .finished(job: 1, nil), write(2, 4),
            ]
        )
        queue.confirmed(Self.path, .refused(code: 3, text: "no"), now: .seconds(2))
        #expect(drain(&queue, capacity) == [.finished(job: 2, .refused(code: 3, text: "no"))])
        #expect(queue.isIdle)
        #expect(queue.deadline == nil)
    }

    @Test("Writes without response are made as long as there is room")
    func flow() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        try queue.add(job(1, 50, withResponse: false, mayBeCut: true), now: .zero)
        #expect(queue.next(capacity, now: .zero) == write(1, 20, withResponse: false))
        #expect(queue.next(capacity, now: .zero) == .progressed(job: 1, sent: 20))
        #expect(queue.next(notReady, now: .zero) == nil)
        #expect(
            drain(&queue, capacity) == [
                write(1, 20, withResponse: false), .progressed(job: 1, sent: 40),
                write(1, 10, withResponse: false), .progressed(job: 1, sent: 50),
                .finished(job: 1, nil),
            ]
        )
    }

    @Test("The queue checks for room only if it has a write to make")
    func capacityReadings() throws {
        var readings = 0
        func reading() -> WriteCapacity {
            readings += 1
            return capacity
        }
        var queue = WriteQueue(progressLimit: .seconds(30))
        #expect(queue.next(reading(), now: .zero) == nil)
        #expect(readings == 0)
        try queue.add(job(1, 3), now: .zero)
        #expect(queue.next(reading(), now: .zero) == write(1, 3))
        #expect(readings == 1)
        queue.confirmed(Self.path, nil, now: .zero)
        #expect(queue.next(reading(), now: .zero) == .progressed(job: 1, sent: 3))
        #expect(queue.next(reading(), now: .zero) == .finished(job: 1, nil))
        #expect(queue.next(reading(), now: .zero) == nil)
        #expect(readings == 1)
    }

    @Test("With response, a value is divided into chunks that fit in one packet")
    func cut() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        try queue.add(job(1, 30, mayBeCut: true), now: .zero)
        #expect(drain(&queue, capacity) == [write(1, 20)])
        queue.confirmed(Self.path, nil, now: .zero)
        #expect(drain(&queue, capacity) == [.progressed(job: 1, sent: 20), write(1, 10)])
        queue.confirmed(Self.path, nil, now: .zero)
        #expect(drain(&queue, capacity) == [.progressed(job: 1, sent: 30), .finished(job: 1, nil)])
    }

    @Test("An empty value is written once", arguments: [true, false])
    func empty(_ withResponse: Bool) throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        try queue.add(job(1, 0, withResponse: withResponse, mayBeCut: true), now: .zero)
        #expect(queue.next(capacity, now: .zero) == write(1, 0, withResponse: withResponse))
        if withResponse { queue.confirmed(Self.path, nil, now: .zero) }
        #expect(drain(&queue, capacity) == [.progressed(job: 1, sent: 0), .finished(job: 1, nil)])
    }

    @Test("A value that must not be divided fails if it is too long")
    func tooLong() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        try queue.add(job(1, 21, withResponse: false), now: .zero)
        try queue.add(job(2, 20, withResponse: false), now: .zero)
        #expect(
            drain(&queue, capacity) == [
                .finished(job: 1, .tooLong(length: 21, maximum: 20)),
                write(2, 20, withResponse: false), .progressed(job: 2, sent: 20),
                .finished(job: 2, nil),
            ]
        )
    }

    @Test("The end of the link reports how much was sent")
    func linkEnded() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        try queue.add(job(1, 50, mayBeCut: true), now: .zero)
        try queue.add(job(2, 5), now: .zero)
        _ = drain(&queue, capacity)
        queue.linkEnded()
        #expect(
            drain(&queue, noLink) == [
                .finished(job: 1, .writeInterrupted(sent: 20, of: 50)),
                .finished(job: 2, .writeInterrupted(sent: 0, of: 5)),
            ]
        )
        #expect(queue.isIdle)
        // The next link does not confirm writes of the previous link.
        try queue.add(job(3, 1), now: .zero)
        queue.confirmed(Self.path, nil, now: .zero)
        #expect(drain(&queue, capacity) == [write(3, 1)])
    }

    @Test("A write waits while there is no link")
    func noLinkYet() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        try queue.add(job(1, 0), now: .zero)
        #expect(drain(&queue, noLink) == [])
    }

    @Test(
        "A job without progress fails at its time limit, and the next job waits for the late answer"
    )
    func progressLimit() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        try queue.add(job(1, 1), now: .seconds(5))
        try queue.add(job(2, 1), now: .seconds(6))
        #expect(drain(&queue, capacity) == [write(1, 1)])
        #expect(queue.deadline == .seconds(35))
        queue.deadlinePassed(now: .seconds(34))
        #expect(drain(&queue, capacity) == [])
        queue.deadlinePassed(now: .seconds(35))
        #expect(
            drain(&queue, capacity) == [.finished(job: 1, .requestTimedOut(after: .seconds(30)))]
        )
        #expect(queue.deadline == .seconds(65))
        queue.confirmed(Self.path, nil, now: .seconds(40))
        #expect(drain(&queue, capacity) == [write(2, 1)])
    }

    @Test("Progress postpones the deadline")
    func progress() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        try queue.add(job(1, 40, mayBeCut: true), now: .zero)
        _ = drain(&queue, capacity)
        queue.confirmed(Self.path, nil, now: .seconds(20))
        #expect(queue.deadline == .seconds(50))
    }

    @Test("A canceled job stops, and the next one continues")
    func cancelled() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        try queue.add(job(1, 100, mayBeCut: true), now: .zero)
        try queue.add(job(2, 1), now: .zero)
        try queue.add(job(3, 1), now: .zero)
        _ = drain(&queue, capacity)
        queue.cancel(1, now: .seconds(1))
        queue.cancel(3, now: .seconds(1))
        // The last write must still be confirmed.
        #expect(drain(&queue, capacity) == [])
        #expect(!queue.isIdle)
        queue.confirmed(Self.path, .refused(code: 1, text: ""), now: .seconds(2))
        #expect(drain(&queue, capacity) == [write(2, 1)])
        queue.confirmed(Self.path, nil, now: .seconds(3))
        #expect(drain(&queue, capacity) == [.progressed(job: 2, sent: 1), .finished(job: 2, nil)])
    }

    @Test("A job beyond the limit is refused")
    func bound() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        for number in 0..<WriteQueue.limit { try queue.add(job(number, 1), now: .zero) }
        #expect(throws: AccessoryError.tooManyWrites(limit: WriteQueue.limit)) {
            try queue.add(job(0, 1), now: .zero)
        }
    }

    @Test("An unexpected confirmation has no effect")
    func stray() {
        var queue = WriteQueue(progressLimit: .seconds(30))
        queue.confirmed(Self.path, nil, now: .zero)
        queue.deadlinePassed(now: .seconds(100))
        queue.cancel(1, now: .zero)
        #expect(drain(&queue, capacity) == [])
    }

    @Test("Jobs of changed services end, and the others continue")
    func servicesChanged() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        var other = job(2, 4)
        other.path = CharacteristicPath("180F", "2A19")
        try queue.add(job(1, 3), now: .zero)
        try queue.add(other, now: .zero)
        #expect(drain(&queue, capacity) == [write(1, 3)])
        queue.servicesChanged(["180D"], unless: { _ in false }, now: .seconds(1))
        let given = WriteAction.finished(job: 1, .writeInterrupted(sent: 3, of: 3))
        let next = WriteAction.write(
            other.value,
            to: other.characteristic,
            other.path,
            withResponse: true
        )
        #expect(drain(&queue, capacity) == [given, next])
        // A late answer to the first job does not confirm the second.
        queue.confirmed(Self.path, nil, now: .seconds(2))
        #expect(drain(&queue, capacity) == [])
        queue.confirmed(other.path, nil, now: .seconds(2))
        #expect(drain(&queue, capacity) == [.progressed(job: 2, sent: 4), .finished(job: 2, nil)])
        #expect(queue.isIdle)
    }

    @Test("After a change of another service with the same UUID, all writes continue")
    func otherServiceChanged() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        var other = job(2, 3)
        other.characteristic = .next()
        try queue.add(job(1, 3), now: .zero)
        try queue.add(other, now: .zero)
        try queue.add(job(3, 3), now: .zero)
        #expect(drain(&queue, capacity) == [write(1, 3)])
        queue.servicesChanged(["180D"], unless: { $0 == Self.characteristic }, now: .seconds(1))
        let gone = WriteAction.finished(job: 2, .writeInterrupted(sent: 0, of: 3))
        #expect(drain(&queue, capacity) == [gone])
        queue.confirmed(Self.path, nil, now: .seconds(2))
        #expect(
            drain(&queue, capacity) == [
                .progressed(job: 1, sent: 3), .finished(job: 1, nil), write(3, 3),
            ]
        )
        queue.confirmed(Self.path, nil, now: .seconds(3))
        #expect(drain(&queue, capacity) == [.progressed(job: 3, sent: 3), .finished(job: 3, nil)])
    }

    @Test("A canceled write still gets its own answer after a change of another service")
    func cancelledBeforeChange() throws {
        var queue = WriteQueue(progressLimit: .seconds(30))
        try queue.add(job(1, 3), now: .zero)
        #expect(drain(&queue, capacity) == [write(1, 3)])
        queue.cancel(1, now: .zero)
        queue.servicesChanged(["180D"], unless: { _ in true }, now: .seconds(1))
        try queue.add(job(2, 3), now: .seconds(1))
        #expect(drain(&queue, capacity) == [])
        // The answer to the first write does not confirm the second.
        queue.confirmed(Self.path, nil, now: .seconds(2))
        #expect(drain(&queue, capacity) == [write(2, 3)])
    }
}
