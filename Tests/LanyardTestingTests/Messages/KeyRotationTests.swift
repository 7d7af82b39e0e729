// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("The rotation of keys over the virtual radio", .eachSystem)
struct KeyRotationTests {
    @Test("Row 17: No message is lost while both ends rotate the keys, with lost packets")
    func rotates() async throws {
        let world = TestWorld(seed: 51)
        let gateway = world.addPhone("gateway")
        let (first, second) = (SealingKey(random: .bits256), SealingKey(random: .bits256))
        try await world.run {
            let options = MessageChannelOptions(sealing: GCMSealing(key: first))
            var configuration = gateway.peripheralConfiguration
            configuration.messages = options
            let peripheral = AccessoryPeripheral(
                PublishedAccessory(
                    name: "Gateway",
                    services: [.messages(Box.service, inbox: Box.inbox, outbox: Box.outbox)]
                ),
                configuration: configuration
            )
            var channels = peripheral.channels.makeAsyncIterator()
            let (central, accessory) = try await world.box()
            let near = accessory.boxMessages(options)
            let far = try #require(await channels.next())
            let answering = far.answer(Question.self) { Reply(reply: $0.question + 1) }
            let question = Question(question: 1)
            #expect(try await near.request(question, expecting: Reply.self) == Reply(reply: 2))

            world.phone.disturb(losing: 0.1)
            let (down, up) = (far.messages(of: Int.self), near.messages(of: Int.self))
            async let sentDown: Void = {
                for number in 1...100 { try await near.send(number) }
            }()
            async let sentUp: Void = {
                for number in 1...100 { try await far.send(number) }
            }()
            try far.acceptKey(second)
            for _ in 1...3 {
                try await near.rotateKeys()
                try await far.rotateKeys()
            }
            try await near.rotateKeys(to: second)
            _ = try await (sentDown, sentUp)
            #expect(await numbers(100, in: down) == Array(1...100))
            #expect(await numbers(100, in: up) == Array(1...100))
            #expect(near.statistics.unopened == 0 && far.statistics.unopened == 0)

            // The next link begins with the new key.
            world.phone.disturb(losing: 0)
            let events = near.events
            try await accessory.disconnect()
            accessory.connect()
            for await event in events where event == .linked { break }
            #expect(try await near.request(question, expecting: Reply.self) == Reply(reply: 2))
            #expect(near.statistics.unopened == 0 && far.statistics.unopened == 0)
            withExtendedLifetime(answering) {}
            await central.shutDown()
            peripheral.close()
        }
    }

    private func numbers(_ count: Int, in messages: Events<Int>) async -> [Int] {
        var numbers: [Int] = []
        for await number in messages {
            numbers.append(number)
            if numbers.count == count { break }
        }
        return numbers
    }
}
