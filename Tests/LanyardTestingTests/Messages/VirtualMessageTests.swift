// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("The message services of virtual accessories", .eachSystem)
struct VirtualMessageTests {
    private static func box(
        _ name: String = "Box",
        sealing: (any MessageSealing)? = nil
    ) -> VirtualAccessory {
        VirtualAccessory(
            name,
            services: [
                .jsonMessages("1B00", writing: "1B01", notifying: "1B02", sealing: sealing) {
                    (question: Question) in Reply(reply: question.question * 2)
                }
            ]
        )
    }

    private static let description = AccessoryDescription(
        kind: "box",
        matching: .service("1B00"),
        services: [ServiceDescription("1B00", [.write("1B01"), .subscribe("1B02")])]
    )

    /// Pairs the box, and opens its channel.
    private func open(
        _ world: TestWorld,
        _ sealing: (any MessageSealing)? = nil
    ) async throws -> (AccessoryCentral, Accessory, MessageChannel) {
        let central = world.phone.central(Self.description)
        let accessory = try await central.pair(Self.description)
        let options = MessageChannelOptions(sealing: sealing)
        let channel = accessory.messages(writing: "1B01", listening: "1B02", options: options)
        return (central, accessory, channel)
    }

    @Test("Pushed messages arrive among answers, even if they are longer than any packet")
    func pushes() async throws {
        let world = TestWorld(seed: 31)
        let box = world.add(Self.box())
        try await world.run { [self] in
            let (central, _, channel) = try await open(world)
            let replies = channel.messages(of: Reply.self)
            let texts = channel.messages(of: String.self)
            let long = String(repeating: "x", count: 5_000)
            async let answer = channel.request(Question(question: 4), expecting: Reply.self)
            box.push(Reply(reply: 1), through: "1B00")
            box.push(long, through: "1B00")
            box.push(bytes: Data(#"{"tell":{"reply":2}}"#.utf8), through: "1B00")
            #expect(try await answer == Reply(reply: 8))
            var received: [Int] = []
            for await reply in replies {
                received.append(reply.reply)
                if received.count == 2 { break }
            }
            #expect(received == [1, 2])
            for await text in texts {
                #expect(text == long)
                break
            }
            #expect(channel.statistics.broken + channel.statistics.strayBytes == 0)
            await central.shutDown()
        }
    }

    @Test(
        "Row 17: A sealed service answers and pushes, on later links and after a restart",
        arguments: ["GCM", "CBC"]
    )
    func sealed(_ name: String) async throws {
        let key = SealingKey(random: .bits256)
        let sealing: any MessageSealing =
            name == "GCM" ? GCMSealing(key: key) : CBCSealing(key: key)
        let world = TestWorld(seed: 32)
        let box = world.add(Self.box(sealing: sealing))
        try await world.run { [self] in
            let (central, accessory, channel) = try await open(world, sealing)
            let replies = channel.messages(of: Reply.self)
            for number in 1...3 {
                let answer = try await channel.request(
                    Question(question: number),
                    expecting: Reply.self
                )
                #expect(answer == Reply(reply: number * 2))
                box.push(Reply(reply: -number), through: "1B00")
                for await reply in replies {
                    #expect(reply == Reply(reply: -number))
                    break
                }
                let events = channel.events
                if number == 1 {
                    try await accessory.disconnect()
                    accessory.connect()
                } else {
                    box.reboot()
                }
                for await event in events where event == .linked { break }
                // This message waits until the phone has sent its greeting on this link.
                box.push(Reply(reply: 100 + number), through: "1B00")
                for await reply in replies {
                    #expect(reply == Reply(reply: 100 + number))
                    break
                }
            }
            #expect(channel.statistics.unopened == 0)
            let written = box.written(to: "1B01").map { String(decoding: $0, as: UTF8.self) }
            #expect(!written.joined().contains("question"))
            await central.shutDown()
        }
    }

    @Test("Two accessories of one description do not share the state of their messages")
    func separate() async throws {
        let sealing = GCMSealing(key: SealingKey(random: .bits256))
        let description = Self.box(sealing: sealing)
        let world = TestWorld(seed: 33)
        let boxes = [
            world.add(description.with { $0.name = "Left" }),
            world.add(description.with { $0.name = "Right" }),
        ]
        try await world.run {
            let central = world.phone.central(Self.description)
            var channels: [MessageChannel] = []
            for _ in boxes {
                let accessory = try await central.pair(Self.description)
                let options = MessageChannelOptions(sealing: sealing)
                channels.append(
                    accessory.messages(writing: "1B01", listening: "1B02", options: options)
                )
            }
            for number in 1...5 {
                for channel in channels {
                    let answer = try await channel.request(
                        Question(question: number),
                        expecting: Reply.self
                    )
                    #expect(answer == Reply(reply: number * 2))
                }
            }
            #expect(channels.allSatisfy { $0.statistics.unopened == 0 })
            await central.shutDown()
        }
    }
}
