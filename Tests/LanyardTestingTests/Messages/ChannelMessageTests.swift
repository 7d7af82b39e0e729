// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Messages over L2CAP")
struct ChannelMessageTests {
    @Test(
        "Row 16: Messages go both ways over the streams of a channel, long ones, too, until it is gone"
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
            // More than the buffers of both ends hold.
            let long = String(repeating: "Grüße ", count: 7_000)
            var told = near.messages(of: String.self).makeAsyncIterator()
            try await far.send(long)
            #expect(await told.next() == long)

            let events = far.events
            opener.leave()
            for await event in events {
                if case .ended = event { break }
            }
            await #expect(throws: MessageError.closed) { try await far.send(1) }
            withExtendedLifetime(observation) {}
        }
    }

    private static func messages(
        _ sent: SentChannel,
        as role: SealingRole,
        _ world: TestWorld
    ) -> MessageChannel {
        // The delegate that had it has let go of it.
        nonisolated(unsafe) let channel = sent.channel
        return MessageChannel(
            over: channel,
            options: MessageChannelOptions(framing: .lengthPrefixed()),
            as: role,
            timekeeper: world.timekeeper
        )
    }
}
