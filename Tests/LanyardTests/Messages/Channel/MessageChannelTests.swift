// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import Lanyard

@Suite("Message channels")
struct MessageChannelTests {
    private let time = ManualTimekeeper()

    private func channel(
        _ transport: FakeTransport,
        _ adjust: (inout MessageChannelOptions) -> Void = { _ in }
    ) -> MessageChannel {
        var options = MessageChannelOptions()
        options.firstID = 1
        adjust(&options)
        return MessageChannel(over: transport, options: options, timekeeper: time)
    }

    @Test("A message arrives with its value, in chunks of the permitted length")
    func message() async throws {
        let (left, right) = FakeTransport.pair()
        let (sender, receiver) = (channel(left), channel(right))
        let notes = receiver.messages(of: Note.self)
        let note = Note(note: String(repeating: "Grüße ", count: 50))
        try await sender.send(note)
        var iterator = notes.makeAsyncIterator()
        #expect(await iterator.next() == note)
        #expect(sender.statistics.sent == 1)
        #expect(receiver.statistics.received == 1)
    }

    @Test("Requests are answered in both directions at the same time")
    func bothDirections() async throws {
        let (left, right) = FakeTransport.pair()
        let (first, second) = (channel(left), channel(right))
        let observations = [first, second].map { side in
            side.answer(Question.self) { Reply(reply: $0.question + 1) }
        }
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 0..<200 {
                let side = number % 2 == 0 ? first : second
                group.addTask {
                    let reply = try await side.request(
                        Question(question: number),
                        expecting: Reply.self
                    )
                    return (number, reply.reply)
                }
            }
            for try await (number, reply) in group { #expect(reply == number + 1) }
        }
        withExtendedLifetime(observations) {}
    }

    @Test("Of a thousand requests, at most the permitted number is being answered at a time")
    func thousandRequests() async throws {
        let (left, right) = FakeTransport.pair()
        let (asking, answering) = (channel(left), channel(right))
        let load = Mutex((now: 0, most: 0))
        let observation = answering.answer(Question.self) { question async in
            load.withLock { load in
                load.now += 1
                load.most = max(load.most, load.now)
            }
            await Task.yield()
            load.withLock { $0.now -= 1 }
            return Reply(reply: question.question)
        }
        let replies = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    try await asking.request(Question(question: number), expecting: Reply.self)
                        .reply
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(replies == Set(0..<1_000))
        #expect(load.withLock(\.most) <= MessageLimits().requestsAtOnce)
        withExtendedLifetime(observation) {}
    }

    @Test("A call beyond the queue's limit fails at once")
    func queueFull() async throws {
        let transport = FakeTransport(capacity: 0)
        let channel = channel(transport) { $0.limits.waiting = 3 }
        // One message is being sent; the others wait.
        let waiting = (0..<4).map { number in
            Task { try await channel.send(Reading(celsius: number)) }
        }
        let engine = channel.engine
        while await transport.read({ engine.calls.count }) < 4 { await Task.yield() }
        let error = await MessageError.thrown { try await channel.send(Reading(celsius: 5)) }
        #expect(error == .queueFull)
        transport.setCapacity(nil)
        for task in waiting { try await task.value }
        #expect(channel.statistics.sent == 4)
    }

    @Test("A request without an answer times out, and a late answer is unexpected")
    func timeout() async throws {
        let transport = FakeTransport()
        let channel = channel(transport)
        let events = channel.events
        var device = FakeDevice(transport)
        let request = Task {
            try await channel.request(Question(question: 1), expecting: Reply.self)
        }
        #expect(await device.nextEnvelope() == .ask(id: 1, Data(#"{"question":1}"#.utf8)))
        time.advance(by: .seconds(9))
        await transport.settle()
        #expect(await transport.read { channel.engine.calls.count } == 1)
        time.advance(by: .seconds(1))
        #expect(await MessageError.thrown { _ = try await request.value } == .timeout)
        try device.send(.answer(id: 1, Data(#"{"reply":1}"#.utf8)))
        let event = await first(events) { $0 != .linked }
        #expect(event == .unexpectedAnswer(id: 1))
    }

    @Test("A canceled request ends at once and makes room for the next one")
    func cancellation() async throws {
        let transport = FakeTransport()
        let channel = channel(transport) { $0.limits.requestsAtOnce = 1 }
        var device = FakeDevice(transport)
        let doomed = Task {
            try await channel.request(Question(question: 1), expecting: Reply.self)
        }
        #expect(await device.nextEnvelope() == .ask(id: 1, Data(#"{"question":1}"#.utf8)))
        let next = Task {
            try await channel.request(Question(question: 2), expecting: Reply.self)
        }
        doomed.cancel()
        #expect(await MessageError.thrown { _ = try await doomed.value } == .cancelled)
        #expect(await device.nextEnvelope() == .ask(id: 2, Data(#"{"question":2}"#.utf8)))
        try device.send(.answer(id: 2, Data(#"{"reply":4}"#.utf8)))
        #expect(try await next.value == Reply(reply: 4))
    }

    @Test("A task that was canceled before the call sends nothing")
    func cancelledBefore() async throws {
        let transport = FakeTransport()
        let channel = channel(transport)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await MessageError.thrown { try await channel.send(Reading(celsius: 1)) }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(channel.statistics.sent == 0)
    }

    @Test("A lost link fails waiting calls, and the channel continues on the next link")
    func linkLoss() async throws {
        let transport = FakeTransport()
        let channel = channel(transport)
        let events = channel.events
        let readings = channel.messages(of: Reading.self)
        var device = FakeDevice(transport)
        let request = Task {
            try await channel.request(Question(question: 1), expecting: Reply.self)
        }
        _ = await device.nextEnvelope()
        // Half of a message has arrived when the link is lost.
        transport.report(.received(Data("\u{02}{\"tell\":{\"cels".utf8)))
        transport.report(.unlinked(MessageError.timeout))
        #expect(await MessageError.thrown { _ = try await request.value } == .disconnected)
        let reason = MessageError.timeout.description
        #expect(await first(events) { $0 != .linked } == .unlinked(reason: reason))
        #expect(!channel.isLinked)
        let early = await MessageError.thrown { try await channel.send(Reading(celsius: 1)) }
        #expect(early == .disconnected)

        transport.report(.linked)
        transport.report(.received(Data("ius\":1}}\u{03}".utf8)))
        try device.send(#"{"tell":{"celsius":21}}"#)
        var iterator = readings.makeAsyncIterator()
        #expect(await iterator.next() == Reading(celsius: 21))
        let again = Task {
            try await channel.request(Question(question: 2), expecting: Reply.self)
        }
        #expect(await device.nextEnvelope() == .ask(id: 2, Data(#"{"question":2}"#.utf8)))
        try device.send(.answer(id: 2, Data(#"{"reply":3}"#.utf8)))
        #expect(try await again.value == Reply(reply: 3))
        #expect(channel.statistics.links == 2)
    }

    @Test("Closing a channel ends waiting calls and sequences")
    func closing() async throws {
        let transport = FakeTransport(capacity: 0)
        let channel = channel(transport)
        let readings = channel.messages(of: Reading.self)
        let sending = Task { try await channel.send(Reading(celsius: 1)) }
        while await transport.read({ channel.engine.calls.count }) < 1 { await Task.yield() }
        channel.close()
        #expect(await MessageError.thrown { try await sending.value } == .closed)
        var iterator = readings.makeAsyncIterator()
        #expect(await iterator.next() == nil)
        #expect(await MessageError.thrown { try await channel.send(Note(note: "")) } == .closed)
        var later = channel.messages(of: Note.self).makeAsyncIterator()
        #expect(await later.next() == nil)
        #expect(await transport.hasStopped)
    }

    @Test("A released channel stops its transport")
    func released() async {
        let transport = FakeTransport()
        weak var engine: MessageEngine?
        do {
            let channel = channel(transport)
            engine = channel.engine
            await transport.settle()
            #expect(engine != nil)
        }
        await transport.settle()
        #expect(await transport.hasStopped)
        await transport.settle()
        #expect(engine == nil)
    }

    @Test("A sequence of messages keeps its channel alive")
    func keptByReader() async throws {
        let (left, right) = FakeTransport.pair()
        let sender = channel(left)
        var iterator = channel(right).messages(of: Reading.self).makeAsyncIterator()
        try await sender.send(Reading(celsius: 7))
        #expect(await iterator.next() == Reading(celsius: 7))
    }

    private func waitingChannel(_ transport: FakeTransport) -> MessageChannel {
        channel(transport) {
            $0.whenUnlinked = .wait
            $0.limits.requestsAtOnce = 1
        }
    }

    @Test(
        "Waiting calls are sent on the next link, but calls that were being sent fail"
    )
    func waitsForLink() async throws {
        let transport = FakeTransport(linked: false, maximumChunk: 200)
        let channel = waitingChannel(transport)
        var device = FakeDevice(transport)
        let first = Task {
            try await channel.request(Question(question: 1), expecting: Reply.self)
        }
        while await transport.read({ channel.engine.calls.count }) < 1 { await Task.yield() }
        transport.report(.linked)
        #expect(await device.nextEnvelope() == .ask(id: 1, Data(#"{"question":1}"#.utf8)))
        let second = Task {
            try await channel.request(Question(question: 2), expecting: Reply.self)
        }
        while await transport.read({ channel.engine.calls.count }) < 2 { await Task.yield() }
        transport.report(.unlinked(nil))
        #expect(await MessageError.thrown { _ = try await first.value } == .disconnected)
        transport.report(.linked)
        #expect(await device.nextEnvelope() == .ask(id: 2, Data(#"{"question":2}"#.utf8)))
        try device.send(.answer(id: 2, Data(#"{"reply":3}"#.utf8)))
        #expect(try await second.value == Reply(reply: 3))
    }

    @Test("A request without a link until its timeout fails as disconnected")
    func waitsInVain() async throws {
        let transport = FakeTransport(linked: false)
        let channel = waitingChannel(transport)
        let asking = Task {
            try await channel.request(Question(question: 1), expecting: Reply.self)
        }
        while await transport.read({ channel.engine.calls.count }) < 1 { await Task.yield() }
        time.advance(by: .seconds(10))
        #expect(await MessageError.thrown { _ = try await asking.value } == .disconnected)
    }

    @Test("A refused chunk fails its message, and the next message is sent")
    func refusedChunk() async throws {
        let transport = FakeTransport(capacity: 1)
        let channel = channel(transport)
        var device = FakeDevice(transport)
        let doomed = Task {
            try await channel.send(Note(note: String(repeating: "x", count: 50)))
        }
        while await transport.read({ channel.engine.calls.count }) < 1 { await Task.yield() }
        transport.report(.refused(MessageError.queueFull))
        #expect(
            await MessageError.thrown { try await doomed.value }
                == .notSent(MessageError.queueFull.description)
        )
        transport.setCapacity(nil)
        try await channel.send(Reading(celsius: 3))
        #expect(await device.nextEnvelope() == .tell(Data(#"{"celsius":3}"#.utf8)))
    }

    @Test("Nothing is sent while the maximum length of a chunk is 0", .timeLimit(.minutes(1)))
    func emptyChunk() async throws {
        let transport = FakeTransport(maximumChunk: 0)
        let channel = channel(transport)
        var device = FakeDevice(transport)
        let sending = Task { try await channel.send(Reading(celsius: 3)) }
        while await transport.read({ channel.engine.calls.count }) < 1 { await Task.yield() }
        transport.resize(to: 100)
        #expect(await device.nextEnvelope() == .tell(Data(#"{"celsius":3}"#.utf8)))
        try await sending.value
    }

    @Test("A refused last chunk fails only its own request")
    func refusedLastChunk() async throws {
        let transport = FakeTransport(maximumChunk: 100, capacity: 1)
        let channel = channel(transport)
        var device = FakeDevice(transport)
        let doomed = Task {
            try await channel.request(Question(question: 1), expecting: Reply.self)
        }
        _ = await device.nextEnvelope()
        let next = Task {
            try await channel.request(Question(question: 2), expecting: Reply.self)
        }
        while await transport.read({ channel.engine.calls.count }) < 2 { await Task.yield() }
        transport.report(.refused(MessageError.queueFull))
        #expect(
            await MessageError.thrown { _ = try await doomed.value }
                == .notSent(MessageError.queueFull.description)
        )
        transport.setCapacity(nil)
        _ = await device.nextEnvelope()
        try device.send(.answer(id: 2, Data(#"{"reply":2}"#.utf8)))
        #expect(try await next.value == Reply(reply: 2))
    }

    @Test("A message that is too long or cannot be encoded does not affect the next message")
    func unsendable() async throws {
        let transport = FakeTransport()
        let channel = channel(transport) { $0.framing = .startEnd(limit: 30) }
        let long = Note(note: String(repeating: "x", count: 50))
        let error = await MessageError.thrown { try await channel.send(long) }
        #expect(error == .tooLarge(count: 70, limit: 30))
        let request = await MessageError.thrown {
            _ = try await channel.request(long, expecting: Reply.self)
        }
        #expect(request == .tooLarge(count: 76, limit: 30))
        guard
            case .unencodable = await MessageError.thrown(by: {
                try await channel.send(Double.nan)
            })
        else {
            Issue.record("the value was encoded")
            return
        }
        try await channel.send(Reading(celsius: 1))
    }
}

extension FakeTransport {
    /// Reads state on the queue.
    func read<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}
