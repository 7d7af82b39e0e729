// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

@Suite("A queue of writes")
struct WriteQueueTests {
    private static let path = CharacteristicPath("180D", "2A39")
    private let room = WriteRoom(withResponse: 512, withoutResponse: 20, isThere: true)
    private let noRoom = WriteRoom(withResponse: 512, withoutResponse: 20, isThere: false)
    private let noLink = WriteRoom(withResponse: 0, withoutResponse: 0, isThere: false)

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
            withResponse: withResponse,
            mayBeCut: mayBeCut
        )
    }

    private func write(_ number: Int, _ count: Int, withResponse: Bool = true) -> WriteAction {
        .write(
            Data(repeating: UInt8(number), count: count),
            to: Self.path,
            withResponse: withResponse
        )
    }

    /// All that it wants done.
    private func drain(
        _ queue: inout WriteQueue,
        _ room: WriteRoom,
        now: Duration = .zero
    ) -> [WriteAction] {
        var actions: [WriteAction] = []
        while let action = queue.next(room, now: now) { actions.append(action) }
        return actions
    }

    @Test("has one write with response under way, and keeps the order")
    func confirmed() throws {
        var queue = WriteQueue(patience: .seconds(30))
        try queue.add(job(1, 3), now: .zero)
        try queue.add(job(2, 4), now: .zero)
        #expect(drain(&queue, room) == [write(1, 3)])
        queue.confirmed(Self.path, nil, now: .seconds(1))
        #expect(
            drain(&queue, room) == [.progressed(1, 3), .finished(1, nil), write(2, 4)]
        )
        queue.confirmed(Self.path, .refused(code: 3, text: "no"), now: .seconds(2))
        #expect(drain(&queue, room) == [.finished(2, .refused(code: 3, text: "no"))])
        #expect(queue.isIdle)
        #expect(queue.deadline == nil)
    }

    @Test("writes without response as long as there is room")
    func flow() throws {
        var queue = WriteQueue(patience: .seconds(30))
        try queue.add(job(1, 50, withResponse: false, mayBeCut: true), now: .zero)
        #expect(queue.next(room, now: .zero) == write(1, 20, withResponse: false))
        #expect(queue.next(room, now: .zero) == .progressed(1, 20))
        #expect(queue.next(noRoom, now: .zero) == nil)
        #expect(
            drain(&queue, room) == [
                write(1, 20, withResponse: false), .progressed(1, 40),
                write(1, 10, withResponse: false), .progressed(1, 50), .finished(1, nil),
            ]
        )
    }

    @Test("cuts with response so that each piece fits into one packet")
    func cut() throws {
        var queue = WriteQueue(patience: .seconds(30))
        try queue.add(job(1, 30, mayBeCut: true), now: .zero)
        #expect(drain(&queue, room) == [write(1, 20)])
        queue.confirmed(Self.path, nil, now: .zero)
        #expect(drain(&queue, room) == [.progressed(1, 20), write(1, 10)])
        queue.confirmed(Self.path, nil, now: .zero)
        #expect(drain(&queue, room) == [.progressed(1, 30), .finished(1, nil)])
    }

    @Test("writes an empty value once", arguments: [true, false])
    func empty(_ withResponse: Bool) throws {
        var queue = WriteQueue(patience: .seconds(30))
        try queue.add(job(1, 0, withResponse: withResponse, mayBeCut: true), now: .zero)
        #expect(queue.next(room, now: .zero) == write(1, 0, withResponse: withResponse))
        if withResponse { queue.confirmed(Self.path, nil, now: .zero) }
        #expect(drain(&queue, room) == [.progressed(1, 0), .finished(1, nil)])
    }

    @Test("does not cut what is to be one write")
    func tooLong() throws {
        var queue = WriteQueue(patience: .seconds(30))
        try queue.add(job(1, 21, withResponse: false), now: .zero)
        try queue.add(job(2, 20, withResponse: false), now: .zero)
        #expect(
            drain(&queue, room) == [
                .finished(1, .tooLong(length: 21, maximum: 20)),
                write(2, 20, withResponse: false), .progressed(2, 20), .finished(2, nil),
            ]
        )
    }

    @Test("says how much was sent when the link ends")
    func linkEnded() throws {
        var queue = WriteQueue(patience: .seconds(30))
        try queue.add(job(1, 50, mayBeCut: true), now: .zero)
        try queue.add(job(2, 5), now: .zero)
        _ = drain(&queue, room)
        queue.linkEnded()
        #expect(
            drain(&queue, noLink) == [
                .finished(1, .writeInterrupted(sent: 20, of: 50)),
                .finished(2, .writeInterrupted(sent: 0, of: 5)),
            ]
        )
        #expect(queue.isIdle)
        // Nothing of the former link is confirmed on the next one.
        try queue.add(job(3, 1), now: .zero)
        queue.confirmed(Self.path, nil, now: .zero)
        #expect(drain(&queue, room) == [write(3, 1)])
    }

    @Test("waits while there is no link")
    func noLinkYet() throws {
        var queue = WriteQueue(patience: .seconds(30))
        try queue.add(job(1, 0), now: .zero)
        #expect(drain(&queue, noLink) == [])
    }

    @Test("gives up what has no progress in time, and holds the next until the answer came")
    func patience() throws {
        var queue = WriteQueue(patience: .seconds(30))
        try queue.add(job(1, 1), now: .seconds(5))
        try queue.add(job(2, 1), now: .seconds(6))
        #expect(drain(&queue, room) == [write(1, 1)])
        #expect(queue.deadline == .seconds(35))
        queue.deadlinePassed(now: .seconds(34))
        #expect(drain(&queue, room) == [])
        queue.deadlinePassed(now: .seconds(35))
        #expect(drain(&queue, room) == [.finished(1, .requestTimedOut(after: .seconds(30)))])
        #expect(queue.deadline == .seconds(65))
        queue.confirmed(Self.path, nil, now: .seconds(40))
        #expect(drain(&queue, room) == [write(2, 1)])
    }

    @Test("progress puts the deadline off")
    func progress() throws {
        var queue = WriteQueue(patience: .seconds(30))
        try queue.add(job(1, 40, mayBeCut: true), now: .zero)
        _ = drain(&queue, room)
        queue.confirmed(Self.path, nil, now: .seconds(20))
        #expect(queue.deadline == .seconds(50))
    }

    @Test("stops a value that nobody wants written any more, and goes on with the next")
    func cancelled() throws {
        var queue = WriteQueue(patience: .seconds(30))
        try queue.add(job(1, 100, mayBeCut: true), now: .zero)
        try queue.add(job(2, 1), now: .zero)
        try queue.add(job(3, 1), now: .zero)
        _ = drain(&queue, room)
        queue.cancel(1, now: .seconds(1))
        queue.cancel(3, now: .seconds(1))
        // What is out is still to be confirmed.
        #expect(drain(&queue, room) == [])
        #expect(!queue.isIdle)
        queue.confirmed(Self.path, .refused(code: 1, text: ""), now: .seconds(2))
        #expect(drain(&queue, room) == [write(2, 1)])
        queue.confirmed(Self.path, nil, now: .seconds(3))
        #expect(drain(&queue, room) == [.progressed(2, 1), .finished(2, nil)])
    }

    @Test("refuses more than may wait")
    func bound() throws {
        var queue = WriteQueue(patience: .seconds(30))
        for number in 0..<WriteQueue.limit { try queue.add(job(number, 1), now: .zero) }
        #expect(throws: AccessoryError.tooManyWrites(limit: WriteQueue.limit)) {
            try queue.add(job(0, 1), now: .zero)
        }
    }

    @Test("a confirmation that nobody waits for means nothing")
    func stray() {
        var queue = WriteQueue(patience: .seconds(30))
        queue.confirmed(Self.path, nil, now: .zero)
        queue.deadlinePassed(now: .seconds(100))
        queue.cancel(1, now: .zero)
        #expect(drain(&queue, room) == [])
    }

    @Test("gives up what was for services that changed, and goes on with the others")
    func servicesChanged() throws {
        var queue = WriteQueue(patience: .seconds(30))
        var other = job(2, 4)
        other.path = CharacteristicPath("180F", "2A19")
        try queue.add(job(1, 3), now: .zero)
        try queue.add(other, now: .zero)
        #expect(drain(&queue, room) == [write(1, 3)])
        queue.servicesChanged(["180D"], now: .seconds(1))
        let given = WriteAction.finished(1, .writeInterrupted(sent: 3, of: 3))
        let next = WriteAction.write(other.value, to: other.path, withResponse: true)
        #expect(drain(&queue, room) == [given, next])
        // What comes late of the first is no answer to the second.
        queue.confirmed(Self.path, nil, now: .seconds(2))
        #expect(drain(&queue, room) == [])
        queue.confirmed(other.path, nil, now: .seconds(2))
        #expect(drain(&queue, room) == [.progressed(2, 4), .finished(2, nil)])
        #expect(queue.isIdle)
    }
}
