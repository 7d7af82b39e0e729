// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Messages over L2CAP", .eachSystem)
struct ChannelMessageTests {
    @Test(
        "Row 16: Short and long messages travel in both directions until the channel closes"
    )
    func bothEnds() async throws {
        let world = TestWorld(seed: 12)
        let gateway = world.addPhone("gateway")
        try await world.run {
            let publisher = ChannelPublisher(on: gateway.adapter)
            var numbers = publisher.numbers.makeAsyncIterator()
            let psm = try #require(await numbers.next())
            let opener = ChannelOpener(psm, on: world.phone.adapter)
            var opened = opener.channels.makeAsyncIterator()
            var published = publisher.channels.makeAsyncIterator()
            let near = Self.messages(try #require(await opened.next()), as: .central, world)
            let far = Self.messages(try #require(await published.next()), as: .peripheral, world)

            let observation = far.answer(Question.self) { Reply(reply: $0.question * 2) }
            for number in 1...20 {
                let reply = try await near.request(
                    Question(question: number),
                    expecting: Reply.self
                )
                #expect(reply == Reply(reply: number * 2))
            }
            // The message is longer than the buffers of both sides.
            let long = String(repeating: "Grüße ", count: 7_000)
            var received = near.messages(of: String.self).makeAsyncIterator()
            try await far.send(long)
            #expect(await received.next() == long)

            let events = far.events
            opener.leave()
            for await event in events {
                if case .ended = event { break }
            }
            await #expect(throws: MessageError.closed) { try await far.send(1) }
            withExtendedLifetime(observation) {}
        }
    }

    @Test("Row 16: Bytes and messages travel over a channel opened through an accessory")
    func byteChannel() async throws {
        let world = TestWorld(seed: 16)
        let gateway = world.addPhone("gateway")
        try await world.run {
            let (publisher, peripheral, psm) = try await Self.publish(on: gateway, world)
            var published = publisher.channels.makeAsyncIterator()
            let (central, accessory) = try await world.box()

            let bytes = try await accessory.openChannel(psm: psm)
            let far = Self.messages(try #require(await published.next()), as: .peripheral, world)
            let echo = far.answer(Int.self) { $0 + 1 }
            let framing = LengthPrefixedFraming()
            try await bytes.send(try framing.frame(Data(#"{"ask":1,"id":7}"#.utf8)))
            let answer = try await bytes.receive()
            #expect(answer == (try framing.frame(Data(#"{"answer":2,"id":7}"#.utf8))))
            bytes.close()
            #expect(try await bytes.receive() == nil)
            await #expect(throws: AccessoryError.linkEnded) { try await bytes.send(Data([1])) }

            let near = try await accessory.openChannel(psm: psm).messages()
            let second = Self.messages(try #require(await published.next()), as: .peripheral, world)
            let secondEcho = second.answer(Int.self) { $0 + 2 }
            #expect(try await near.request(1, expecting: Int.self) == 3)
            withExtendedLifetime((echo, secondEcho)) {}
            await central.shutDown()
            peripheral.close()
        }
    }

    @Test("Row 16: Bytes that arrived before the other side closed the channel can be received")
    func bytesBeforeEnd() async throws {
        let world = TestWorld(seed: 17)
        let gateway = world.addPhone("gateway")
        try await world.run {
            let (publisher, peripheral, psm) = try await Self.publish(on: gateway, world)
            var published = publisher.channels.makeAsyncIterator()
            let (central, accessory) = try await world.box()
            let bytes = try await accessory.openChannel(psm: psm)
            let far = Self.messages(try #require(await published.next()), as: .peripheral, world)
            // The text is longer than one result of `receive`.
            let text = String(repeating: "a", count: 10_000)
            try await far.send(text)
            far.close()
            try await world.advance(by: .seconds(5))
            await #expect(throws: AccessoryError.linkEnded) { try await bytes.send(Data([1])) }
            var received = Data()
            while let part = try await bytes.receive() { received += part }
            #expect(received.count > text.count)
            await central.shutDown()
            peripheral.close()
        }
    }

    /// Publishes a channel, and an accessory of the same gateway.
    private static func publish(
        on gateway: TestPhone,
        _ world: TestWorld
    ) async throws -> (ChannelPublisher, AccessoryPeripheral, CBL2CAPPSM) {
        let publisher = ChannelPublisher(on: gateway.adapter)
        let peripheral = AccessoryPeripheral(
            PublishedAccessory(
                name: "Gateway",
                services: [.messages(Box.service, inbox: Box.inbox, outbox: Box.outbox)]
            ),
            configuration: .init(adapter: gateway.adapter, timekeeper: world.timekeeper)
        )
        var numbers = publisher.numbers.makeAsyncIterator()
        return (publisher, peripheral, try #require(await numbers.next()))
    }

    private static func messages(
        _ sent: SentChannel,
        as role: SealingRole,
        _ world: TestWorld
    ) -> MessageChannel {
        // The delegate has released the channel.
        nonisolated(unsafe) let channel = sent.channel
        return MessageChannel(
            over: channel,
            options: MessageChannelOptions(framing: .lengthPrefixed()),
            as: role,
            timekeeper: world.timekeeper
        )
    }
}
