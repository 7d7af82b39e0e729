// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

@Suite("Sealed message channels")
struct SealedChannelTests {
    private let time = ManualTimekeeper()

    private static func key(_ byte: UInt8) throws -> SealingKey {
        try SealingKey(Data(repeating: byte, count: 32))
    }

    private static func sealings(_ byte: UInt8 = 1) throws -> [any MessageSealing] {
        [GCMSealing(key: try key(byte)), CBCSealing(key: try key(byte))]
    }

    private func channels(
        _ transports: (FakeTransport, FakeTransport),
        _ sealing: any MessageSealing,
        _ otherSealing: any MessageSealing,
        framing: any MessageFraming
    ) -> (MessageChannel, MessageChannel) {
        let central = MessageChannelOptions(framing: framing, sealing: sealing)
        let peripheral = MessageChannelOptions(framing: framing, sealing: otherSealing)
        return (
            MessageChannel(over: transports.0, options: central, as: .central, timekeeper: time),
            MessageChannel(
                over: transports.1,
                options: peripheral,
                as: .peripheral,
                timekeeper: time
            )
        )
    }

    @Test("Sealed messages arrive in both directions, in every framing, and on a second link")
    func bothWays() async throws {
        for framing in [.startEnd(), .cobs(), .lengthPrefixed()] as [any MessageFraming] {
            for sealing in try Self.sealings() {
                let pair = FakeTransport.pair(linked: false)
                let (central, peripheral) = channels(pair, sealing, sealing, framing: framing)
                let observation = peripheral.answer(Question.self) {
                    Reply(reply: $0.question + 1)
                }
                for number in 1...2 {
                    // The peripheral gets its link first, because it waits for the central's
                    // greeting.
                    pair.1.report(.linked)
                    pair.0.report(.linked)
                    await pair.0.settle()
                    let reply = try await central.request(
                        Question(question: number),
                        expecting: Reply.self
                    )
                    #expect(reply == Reply(reply: number + 1))
                    pair.0.report(.unlinked(nil))
                    pair.1.report(.unlinked(nil))
                    await pair.0.settle()
                }
                withExtendedLifetime(observation) {}
            }
        }
    }

    @Test("A frame sealed with another key is refused, and the error does not state the reason")
    func otherKey() async throws {
        for (sealing, other) in zip(try Self.sealings(1), try Self.sealings(2)) {
            let pair = FakeTransport.pair(linked: false)
            let (central, peripheral) = channels(pair, sealing, other, framing: .startEnd())
            let events = peripheral.events
            pair.1.report(.linked)
            pair.0.report(.linked)
            await pair.0.settle()
            let sending = Task { try await central.send(Reading(celsius: 1)) }
            let event = await first(events) { $0 != .linked }
            #expect(event == .unopened(.refused))
            sending.cancel()
            _ = await sending.result
        }
    }

    @Test("A greeting without an answer is repeated up to a limit, and then waiting calls fail")
    func unansweredGreeting() async throws {
        let transport = FakeTransport(maximumChunk: 200)
        let options = MessageChannelOptions(sealing: GCMSealing(key: try Self.key(1)))
        let channel = MessageChannel(over: transport, options: options, timekeeper: time)
        var device = FakeDevice(transport)
        let sending = Task { try await channel.send(Reading(celsius: 1)) }
        let greeting = await device.next()
        for _ in 1..<MessageEngine.greetingLimit {
            time.advance(by: MessageEngine.greetingInterval)
            #expect(await device.next() == greeting)
        }
        while await transport.read({ channel.engine.calls.count }) < 1 { await Task.yield() }
        time.advance(by: MessageEngine.greetingInterval)
        let error = await MessageError.thrown { try await sending.value }
        #expect(error == .sealing("the other side does not answer"))
        let later = await MessageError.thrown { try await channel.send(Reading(celsius: 2)) }
        #expect(later == error)
    }

    @Test("A request that times out before an answer to the greeting fails with a sealing error")
    func overdueRequest() async throws {
        let transport = FakeTransport(maximumChunk: 200)
        let options = MessageChannelOptions(sealing: GCMSealing(key: try Self.key(1)))
        let channel = MessageChannel(over: transport, options: options, timekeeper: time)
        var device = FakeDevice(transport)
        let limit = MessageEngine.greetingInterval * 2
        let asking = Task {
            try await channel.request(Question(question: 1), expecting: Reply.self, timeout: limit)
        }
        let greeting = await device.next()
        while await transport.read({ channel.engine.calls.count }) < 1 { await Task.yield() }
        time.advance(by: MessageEngine.greetingInterval)
        #expect(await device.next() == greeting)
        time.advance(by: MessageEngine.greetingInterval)
        let error = await MessageError.thrown { _ = try await asking.value }
        #expect(error == .sealing("the other side does not answer"))
    }

    @Test(
        "The side that awaits a greeting asks for it, and fails waiting calls after a time"
    )
    func missingGreeting() async throws {
        let transport = FakeTransport(maximumChunk: 200)
        let options = MessageChannelOptions(sealing: GCMSealing(key: try Self.key(1)))
        let channel = MessageChannel(
            over: transport,
            options: options,
            as: .peripheral,
            timekeeper: time
        )
        var device = FakeDevice(transport)
        let sending = Task { try await channel.send(Reading(celsius: 1)) }
        while await transport.read({ channel.engine.calls.count }) < 1 { await Task.yield() }
        for _ in 1...MessageEngine.greetingLimit {
            time.advance(by: MessageEngine.greetingInterval)
            #expect(await device.next() == Data([5]).base64EncodedData())
        }
        time.advance(by: MessageEngine.greetingInterval)
        let error = await MessageError.thrown { try await sending.value }
        #expect(error == .sealing("the other side does not answer"))

        // A late greeting is answered nevertheless.
        var central = GCMSealing(key: try Self.key(1)).makeSession(as: .central)
        let greeting = try #require(central.greeting)
        try device.send(greeting.base64EncodedData())
        let framed = try #require(await device.next())
        let answer = try #require(Data(base64Encoded: framed))
        guard case .answer(let confirmation) = try central.open(answer) else {
            Issue.record("no confirmation")
            return
        }
        try device.send(confirmation.base64EncodedData())
        await transport.settle()
        try await channel.send(Reading(celsius: 2))
    }

    @Test("A peripheral that restarts during a link establishes a new session")
    func restartedPeripheral() async throws {
        let sealing = GCMSealing(key: try Self.key(1))
        let pair = FakeTransport.pair(linked: false)
        let (central, peripheral) = channels(pair, sealing, sealing, framing: .startEnd())
        let observation = peripheral.answer(Question.self) { Reply(reply: $0.question + 1) }
        pair.1.report(.linked)
        pair.0.report(.linked)
        _ = try await central.request(Question(question: 1), expecting: Reply.self)
        // The peripheral begins a new session, and the central keeps the former one.
        pair.1.report(.linked)
        await pair.1.settle()
        time.advance(by: MessageEngine.greetingInterval)
        while await pair.1.read({ peripheral.engine.wire.isReady }) == false { await Task.yield() }
        let reply = try await central.request(Question(question: 2), expecting: Reply.self)
        #expect(reply == Reply(reply: 3))
        #expect(central.statistics.unopened == 0)
        withExtendedLifetime(observation) {}
    }

    @Test("A sealed message contains no readable text")
    func unreadable() async throws {
        let transport = FakeTransport(maximumChunk: 200)
        let options = MessageChannelOptions(sealing: CBCSealing(key: try Self.key(1)))
        let channel = MessageChannel(over: transport, options: options, timekeeper: time)
        var device = FakeDevice(transport)
        try await channel.send(Note(note: "a secret"))
        let message = try #require(await device.next())
        let sealed = try #require(Data(base64Encoded: message))
        #expect(sealed.range(of: Data("secret".utf8)) == nil)
        #expect(sealed.count % 16 == 0)
    }
}
