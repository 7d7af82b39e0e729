// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

@Suite("Message exchange")
struct MessageExchangeTests {
    private let body = Data("1".utf8)

    private func exchange(
        atOnce: Int = 2,
        waiting: Int = 4
    ) -> MessageExchange {
        var limits = MessageLimits()
        limits.requestsAtOnce = atOnce
        limits.waiting = waiting
        return MessageExchange(limits: limits, firstID: 10)
    }

    @Test("Messages and requests are sent in the order of the calls")
    func order() throws {
        var exchange = exchange()
        try exchange.tell(body, for: 1)
        try exchange.ask(body, for: 2, until: .seconds(1))
        try exchange.tell(body, for: 3)
        #expect(exchange.next() == .init(ticket: 1, envelope: .tell(body)))
        #expect(exchange.next() == .init(ticket: 2, envelope: .ask(id: 10, body)))
        #expect(exchange.next() == .init(ticket: 3, envelope: .tell(body)))
        #expect(exchange.next() == nil)
    }

    @Test("The number of unanswered requests is limited")
    func atOnce() throws {
        var exchange = exchange()
        for ticket in 1...4 { try exchange.ask(body, for: ticket, until: .seconds(1)) }
        #expect(exchange.next()?.ticket == 1)
        #expect(exchange.next()?.ticket == 2)
        #expect(exchange.next() == nil)
        #expect(exchange.pendingRequestCount == 2)
        #expect(exchange.answered(11) == 2)
        #expect(exchange.next() == .init(ticket: 3, envelope: .ask(id: 12, body)))
        #expect(exchange.next() == nil)
    }

    @Test("Answers precede requests, however many requests are unanswered")
    func answersFirst() throws {
        var exchange = exchange(atOnce: 1)
        for ticket in 1...2 { try exchange.ask(body, for: ticket, until: .seconds(1)) }
        #expect(exchange.next()?.ticket == 1)
        exchange.reply(.answer(id: 5, body))
        exchange.reply(.refuse(id: 6, "no"))
        #expect(exchange.next() == .init(ticket: nil, envelope: .answer(id: 5, body)))
        #expect(exchange.next() == .init(ticket: nil, envelope: .refuse(id: 6, "no")))
        #expect(exchange.next() == nil)
    }

    @Test("Waiting answers are limited if the other side does not receive them")
    func answerLimit() {
        var exchange = exchange()
        for id in 0..<(2 * MessageExchange.answerLimit) { exchange.reply(.answer(id: id, body)) }
        var count = 0
        while let outgoing = exchange.next() {
            #expect(outgoing.envelope == .answer(id: count, body))
            count += 1
        }
        #expect(count == MessageExchange.answerLimit)
    }

    @Test("A call beyond the queue's limit is refused")
    func full() throws {
        var exchange = exchange()
        for ticket in 1...4 { try exchange.tell(body, for: ticket) }
        #expect(throws: MessageError.queueFull) { try exchange.tell(body, for: 5) }
        #expect(throws: MessageError.queueFull) {
            try exchange.ask(body, for: 5, until: .seconds(1))
        }
        _ = exchange.next()
        try exchange.tell(body, for: 6)
        #expect(exchange.waitingCount == 4)
    }

    @Test("Each answer is assigned to its request once, in any order")
    func answers() throws {
        var exchange = exchange()
        for ticket in 1...2 { try exchange.ask(body, for: ticket, until: .seconds(1)) }
        _ = (exchange.next(), exchange.next())
        #expect(exchange.answered(11) == 2)
        #expect(exchange.answered(10) == 1)
        #expect(exchange.answered(10) == nil)
        #expect(exchange.answered(12) == nil)
    }

    @Test("Expired requests are reported in order, wherever they wait")
    func deadlines() throws {
        var exchange = exchange(atOnce: 1)
        try exchange.ask(body, for: 1, until: .seconds(3))
        try exchange.ask(body, for: 2, until: .seconds(1))
        try exchange.ask(body, for: 3, until: .seconds(5))
        _ = exchange.next()
        #expect(exchange.nextDeadline == .seconds(1))
        #expect(exchange.deadlinePassed(now: .milliseconds(999)) == [])
        #expect(exchange.deadlinePassed(now: .seconds(1)) == [2])
        #expect(exchange.nextDeadline == .seconds(3))
        #expect(exchange.deadlinePassed(now: .seconds(9)) == [1, 3])
        #expect(exchange.nextDeadline == nil)
        #expect(exchange.answered(10) == nil)
        #expect(exchange.next() == nil)
    }

    @Test("A withdrawn call is removed, wherever it waits")
    func withdrawal() throws {
        var exchange = exchange(atOnce: 1)
        for ticket in 1...3 { try exchange.ask(body, for: ticket, until: .seconds(1)) }
        _ = exchange.next()
        exchange.withdraw(1)
        exchange.withdraw(2)
        exchange.withdraw(7)
        #expect(exchange.answered(10) == nil)
        #expect(exchange.next()?.ticket == 3)
        #expect(exchange.waitingCount == 0)
    }

    @Test(
        "At the end of a link, waiting calls fail unless they are kept, and no number is used again"
    )
    func linkLoss() throws {
        var exchange = exchange(atOnce: 1)
        for ticket in 1...3 { try exchange.ask(body, for: ticket, until: .seconds(1)) }
        _ = exchange.next()
        exchange.reply(.answer(id: 5, body))
        var patient = exchange
        #expect(patient.linkLost(keepsQueue: true) == [1])
        #expect(patient.waiting == [2, 3] && patient.pendingRequestCount == 0)
        #expect(patient.nextDeadline == .seconds(1))
        #expect(exchange.linkLost() == [1, 2, 3])
        #expect(exchange.next() == nil)
        #expect(exchange.nextDeadline == nil)
        try exchange.ask(body, for: 4, until: .seconds(1))
        #expect(exchange.next() == .init(ticket: 4, envelope: .ask(id: 11, body)))
    }

    @Test("A queue keeps its order and removes consumed elements")
    func line() {
        var line = FIFOQueue<Int>()
        var served: [Int] = []
        for number in 0..<1_000 {
            line.append(number)
            if number % 3 > 0, let first = line.popFirst() { served.append(first) }
        }
        #expect(line.removeAll { $0 % 2 == 0 }.count > 0)
        #expect(Array(line.elements).allSatisfy { $0 % 2 == 1 })
        while let first = line.popFirst() { served.append(first) }
        #expect(served == served.sorted())
        #expect(line.count == 0)
        #expect(line.first == nil)
    }
}
