// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

@Suite("Answering requests")
struct MessageServiceTests {
    private let transport = FakeTransport()

    private func channel(
        _ adjust: (inout MessageChannelOptions) -> Void = { _ in }
    ) -> MessageChannel {
        var options = MessageChannelOptions()
        adjust(&options)
        return MessageChannel(over: transport, options: options, timekeeper: ManualTimekeeper())
    }

    private let question = Data(#"{"question":3}"#.utf8)

    @Test("The first service that can decode a request answers it once")
    func routing() async throws {
        let channel = channel()
        let observations = [
            channel.answer(Question.self) { Reply(reply: $0.question * 2) },
            channel.answer(Note.self) { Note(note: $0.note + "!") },
            channel.answer(Question.self) { _ in Reply(reply: 0) },
        ]
        var device = FakeDevice(transport)
        try device.send(.ask(id: 77, question))
        #expect(await device.nextEnvelope() == .answer(id: 77, Data(#"{"reply":6}"#.utf8)))
        try device.send(.ask(id: 78, Data(#"{"note":"a"}"#.utf8)))
        #expect(await device.nextEnvelope() == .answer(id: 78, Data(#"{"note":"a!"}"#.utf8)))
        withExtendedLifetime(observations) {}
    }

    @Test("A request without a service is refused, even after the token was released")
    func withoutService() async throws {
        let channel = channel()
        var device = FakeDevice(transport)
        try device.send(.ask(id: 1, question))
        #expect(await device.nextEnvelope() == .refuse(id: 1, "no handler answers this request"))
        do {
            let observation = channel.answer(Question.self) { _ in Reply(reply: 0) }
            await transport.settle()
            withExtendedLifetime(observation) {}
        }
        await transport.settle()
        try device.send(.ask(id: 2, question))
        #expect(await device.nextEnvelope() == .refuse(id: 2, "no handler answers this request"))
    }

    @Test(
        "The reason for a refusal has a limited number of bytes, although a character can have many"
    )
    func longReason() async throws {
        let channel = channel { $0.limits.quotation = 8 }
        let character = "e" + String(repeating: "\u{301}", count: 1_000)
        let observation = channel.answer(Question.self) { _ -> Reply in
            throw MessageRefusal(character)
        }
        var device = FakeDevice(transport)
        try device.send(.ask(id: 1, question))
        let reason = "e" + String(repeating: "\u{301}", count: 3)  // 7 bytes
        #expect(await device.nextEnvelope() == .refuse(id: 1, reason))
        withExtendedLifetime(observation) {}
    }

    @Test("The other side receives the reason for a refusal, but no details of other errors")
    func errors() async throws {
        struct Secret: Error { let password = "1234" }
        let channel = channel()
        let observation = channel.answer(Question.self) { question -> Reply in
            if question.question == 3 { throw MessageRefusal("not on Sundays") }
            throw Secret()
        }
        var device = FakeDevice(transport)
        try device.send(.ask(id: 1, question))
        #expect(await device.nextEnvelope() == .refuse(id: 1, "not on Sundays"))
        try device.send(.ask(id: 2, Data(#"{"question":4}"#.utf8)))
        #expect(await device.nextEnvelope() == .refuse(id: 2, "it failed"))
        withExtendedLifetime(observation) {}
    }

    @Test("A refusal becomes an error of the requesting side")
    func remoteError() async throws {
        let (left, right) = FakeTransport.pair()
        let time = ManualTimekeeper()
        let asking = MessageChannel(over: left, timekeeper: time)
        let answering = MessageChannel(over: right, timekeeper: time)
        let observation = answering.answer(Question.self) { _ async throws -> Reply in
            throw MessageRefusal("not on Sundays")
        }
        let error = await MessageError.thrown {
            _ = try await asking.request(Question(question: 1), expecting: Reply.self)
        }
        #expect(error == .remoteError("not on Sundays"))
        withExtendedLifetime(observation) {}
    }

    @Test("Requests beyond the limit of concurrent answers are refused")
    func overload() async throws {
        let channel = channel { $0.limits.answersAtOnce = 2 }
        let (gate, open) = AsyncStream<Void>.makeStream()
        let observation = channel.answer(Question.self) { question async in
            for await _ in gate {}
            return Reply(reply: question.question)
        }
        var device = FakeDevice(transport)
        for id in 1...3 { try device.send(.ask(id: id, question)) }
        #expect(await device.nextEnvelope() == .refuse(id: 3, "too many requests at once"))
        open.finish()
        var answered: Set<MessageEnvelope> = []
        for _ in 1...2 { if let answer = await device.nextEnvelope() { answered.insert(answer) } }
        let reply = Data(#"{"reply":3}"#.utf8)
        #expect(answered == [.answer(id: 1, reply), .answer(id: 2, reply)])
        withExtendedLifetime(observation) {}
    }

    @Test("A lost link cancels the tasks of its requests and drops their answers")
    func linkLoss() async throws {
        let channel = channel()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (cancelled, report) = AsyncStream<Void>.makeStream()
        let observation = channel.answer(Question.self) { question async in
            guard question.question == 3 else { return Reply(reply: question.question) }
            begin.finish()
            await withTaskCancellationHandler {
                while !Task.isCancelled { await Task.yield() }
            } onCancel: {
                report.finish()
            }
            return Reply(reply: 0)
        }
        var device = FakeDevice(transport)
        try device.send(.ask(id: 1, question))
        for await _ in begun {}
        transport.report(.unlinked(nil))
        for await _ in cancelled {}
        transport.report(.linked)
        try device.send(.ask(id: 1, Data(#"{"question":4}"#.utf8)))
        #expect(await device.nextEnvelope() == .answer(id: 1, Data(#"{"reply":4}"#.utf8)))
        withExtendedLifetime(observation) {}
    }

    @Test("A handler does not run for a request whose link has already ended")
    func linkLossAtOnce() async throws {
        let channel = channel()
        let observation = channel.answer(Question.self) { question async in
            #expect(question.question == 4)
            return Reply(reply: question.question)
        }
        var device = FakeDevice(transport)
        // In one turn of the queue the link ends before the answer can start.
        try transport.queue.sync {
            try device.send(.ask(id: 1, question))
            transport.report(.unlinked(nil))
        }
        transport.report(.linked)
        try device.send(.ask(id: 2, Data(#"{"question":4}"#.utf8)))
        #expect(await device.nextEnvelope() == .answer(id: 2, Data(#"{"reply":4}"#.utf8)))
        withExtendedLifetime(observation) {}
    }

    @Test("An answer that is too long becomes a refusal")
    func longAnswer() async throws {
        let channel = channel { $0.framing = .startEnd(limit: 60) }
        let observation = channel.answer(Question.self) { _ in
            Note(note: String(repeating: "x", count: 100))
        }
        var device = FakeDevice(transport)
        try device.send(.ask(id: 1, question))
        #expect(await device.nextEnvelope() == .refuse(id: 1, "the answer is too long"))
        withExtendedLifetime(observation) {}
    }
}
