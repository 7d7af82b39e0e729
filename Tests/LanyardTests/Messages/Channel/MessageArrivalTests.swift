// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

@Suite("Received messages of a channel")
struct MessageArrivalTests {
    private let time = ManualTimekeeper()
    private let transport = FakeTransport()

    private func channel(
        _ adjust: (inout MessageChannelOptions) -> Void = { _ in }
    ) -> MessageChannel {
        var options = MessageChannelOptions()
        options.firstID = 1
        adjust(&options)
        return MessageChannel(over: transport, options: options, timekeeper: time)
    }

    @Test("A channel created on the queue receives the next message, even if it is already queued")
    func receivesAtOnce() async throws {
        let transport = FakeTransport()
        // The message is queued before the channel is created.
        let channel = try transport.queue.sync {
            try FakeDevice(transport).send(.tell(Data(#"{"celsius":21}"#.utf8)))
            return MessageChannel(
                onQueueOf: transport,
                options: MessageChannelOptions(),
                as: .peripheral,
                timekeeper: ManualTimekeeper()
            )
        }
        var readings = channel.messages(of: Reading.self).makeAsyncIterator()
        #expect(await readings.next() == Reading(celsius: 21))
    }

    @Test("Each message goes to the sequences of its type")
    func types() async throws {
        let channel = channel()
        var readings = channel.messages(of: Reading.self).makeAsyncIterator()
        var notes = channel.messages(of: Note.self).makeAsyncIterator()
        let device = FakeDevice(transport)
        try device.send(#"{"tell":{"note":"a"}}"#)
        try device.send(#"{"tell":{"celsius":1}}"#)
        try device.send(#"{"tell":{"note":"b"}}"#)
        #expect(await readings.next() == Reading(celsius: 1))
        #expect(await notes.next() == Note(note: "a"))
        #expect(await notes.next() == Note(note: "b"))
    }

    @Test("A message without a reader waits for the first sequence that can decode it")
    func unread() async throws {
        let channel = channel { $0.limits.unread = 2 }
        let device = FakeDevice(transport)
        for number in 1...3 { try device.send(#"{"tell":{"celsius":\#(number)}}"#) }
        await transport.settle()
        var readings = channel.messages(of: Reading.self).makeAsyncIterator()
        #expect(await readings.next() == Reading(celsius: 2))
        #expect(await readings.next() == Reading(celsius: 3))
        try device.send(#"{"tell":{"celsius":4}}"#)
        #expect(await readings.next() == Reading(celsius: 4))
        #expect(channel.statistics.unread == 1)
    }

    @Test("A slow reader loses the oldest messages, and the loss is reported")
    func slowReader() async throws {
        let channel = channel { $0.limits.unread = 2 }
        let readings = channel.messages(of: Reading.self)
        await transport.settle()
        let device = FakeDevice(transport)
        for number in 1...5 { try device.send(#"{"tell":{"celsius":\#(number)}}"#) }
        await transport.settle()
        #expect(readings.droppedCount == 3)
        #expect(channel.statistics.unread == 3)
        var iterator = readings.makeAsyncIterator()
        #expect(await iterator.next() == Reading(celsius: 4))
    }

    @Test("A message that no sequence decodes is reported, with a quotation of limited length")
    func undecodable() async throws {
        let channel = channel { $0.limits.quotation = 10 }
        let events = channel.events
        let readings = channel.messages(of: Reading.self)
        await transport.settle()
        let device = FakeDevice(transport)
        try device.send(#"{"tell":{"kelvin":1}}"#)
        #expect(await first(events) { $0 != .linked } == .undecodable(text: #"{"kelvin":"#))
        try device.send("not an envelope")
        #expect(await first(events) { _ in true } == .undecodable(text: "not an env"))
        try device.send(Data([0xFF, 0xFE]))
        #expect(await first(events) { _ in true } == .undecodable(text: "\u{FFFD}\u{FFFD}"))
        #expect(channel.statistics.undecodable == 3)
        withExtendedLifetime(readings) {}
    }

    @Test("Garbage is counted, and later messages arrive")
    func garbage() async throws {
        let channel = channel { $0.framing = .startEnd(limit: 40) }
        var readings = channel.messages(of: Reading.self).makeAsyncIterator()
        let device = FakeDevice(transport)
        transport.report(.received(Data(hex: "AABBCC 026162")))
        transport.report(.received(Data([2] + [UInt8](repeating: 0x61, count: 41) + [3])))
        try device.send(#"{"tell":{"celsius":9}}"#)
        #expect(await readings.next() == Reading(celsius: 9))
        let statistics = channel.statistics
        #expect(statistics.strayBytes == 3)
        #expect(statistics.broken == 1)
        #expect(statistics.oversize == 1)
    }

    @Test("A request whose answer has the wrong type fails as undecodable")
    func wrongAnswer() async throws {
        let channel = channel { $0.limits.quotation = 8 }
        var device = FakeDevice(transport)
        let request = Task {
            try await channel.request(Question(question: 1), expecting: Reply.self)
        }
        _ = await device.nextEnvelope()
        try device.send(.answer(id: 1, Data(#"{"other":"thing"}"#.utf8)))
        let error = await MessageError.thrown { _ = try await request.value }
        #expect(error == .undecodable(text: #"{"other""#))
    }

    @Test("Answers are assigned to their requests in any order")
    func answersInAnyOrder() async throws {
        let channel = channel()
        var device = FakeDevice(transport)
        let requests = (0..<3).map { number in
            Task { try await channel.request(Question(question: number), expecting: Reply.self) }
        }
        var asked: [(Int, Data)] = []
        while asked.count < 3, case .ask(let id, let body) = await device.nextEnvelope() {
            asked.append((id, body))
        }
        for (id, body) in asked.reversed() {
            let question = try JSONDecoder().decode(Question.self, from: body)
            try device.send(.answer(id: id, Data(#"{"reply":\#(question.question)}"#.utf8)))
        }
        for (number, request) in requests.enumerated() {
            #expect(try await request.value == Reply(reply: number))
        }
    }

    @Test("Without envelopes, the next matching message is the answer")
    func plainForm() async throws {
        let channel = channel { $0.form = .plain }
        var readings = channel.messages(of: Reading.self).makeAsyncIterator()
        var device = FakeDevice(transport)
        let request = Task {
            try await channel.request(Question(question: 5), expecting: Reply.self) {
                $0.reply > 5
            }
        }
        #expect(await device.next() == Data(#"{"question":5}"#.utf8))
        try device.send(#"{"celsius":1}"#)
        try device.send(#"{"reply":1}"#)
        try device.send(#"{"reply":6}"#)
        #expect(try await request.value == Reply(reply: 6))
        #expect(await readings.next() == Reading(celsius: 1))
        #expect(channel.statistics.undecodable == 1)
        try await channel.send(Note(note: "plain"))
        #expect(await device.next() == Data(#"{"note":"plain"}"#.utf8))
    }

    @Test("A channel continues after random input", arguments: [true, false], RunSeed.seeds(1))
    func fuzz(isSealed: Bool, seed: UInt64) async throws {
        let key = try SealingKey(Data(repeating: 7, count: 32))
        let channel = channel { $0.sealing = isSealed ? CBCSealing(key: key) : nil }
        let observation = channel.answer(Question.self) { Reply(reply: $0.question) }
        let readings = channel.messages(of: Reading.self)
        let alphabet = Array("{}[]:,1\"\\tellaskidanswerrefuseQUJD=".utf8) + [2, 2, 3, 3, 0, 0xFF]
        var random = SplitMix64(seed: seed)
        let frames = [#"{"ask":{"question":1},"id":1}"#, #"{"tell":1}"#, #"{"refuse":"x","id":2}"#]
            .map { Data([2] + Array($0.utf8) + [3]) }
        for _ in 0..<3_000 {
            var chunk = Data(
                (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    alphabet.randomElement(using: &random) ?? 0
                }
            )
            chunk.append(frames.randomElement(using: &random) ?? Data())
            chunk[Int.random(in: 0..<chunk.count, using: &random)] ^= 1
            transport.report(.received(chunk))
            if random.happens(oneIn: 50) {
                transport.report(.unlinked(nil))
                transport.report(.linked)
            }
        }
        await transport.settle()
        #expect(channel.isLinked)
        try await channel.send(Note(note: "still there"))
        withExtendedLifetime((observation, readings)) {}
    }
}
