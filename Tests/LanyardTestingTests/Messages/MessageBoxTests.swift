// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing
import VirtualRadio

@Suite("Messages with a message box", .eachSystem)
struct MessageBoxTests {
    @Test("A channel to a forgotten accessory is closed, and no characteristic counts as unknown")
    func forgotten() async throws {
        let world = TestWorld(seed: 90)
        _ = try world.addMessageBox()
        try await world.run {
            let (central, accessory) = try await world.box()
            try await central.forget(accessory)
            let messages = accessory.boxMessages()
            let error = await #expect(throws: MessageError.self) {
                try await messages.send(Reply(reply: 1))
            }
            #expect(error == .closed)
        }
    }

    @Test(
        "Row 16: Requests are answered, and messages are echoed",
        arguments: [WriteKind.withResponse, .withoutResponse]
    )
    func answers(kind: WriteKind) async throws {
        let world = TestWorld(seed: 3)
        _ = try world.addMessageBox()
        try await world.run {
            let (central, box) = try await world.box()
            let messages = box.boxMessages(as: kind)
            var received = messages.messages(of: Reply.self).makeAsyncIterator()
            let long = String(repeating: "Grüße ", count: 60)
            #expect(try await messages.request(long, expecting: String.self) == long)
            try await messages.send(Reply(reply: 5))
            #expect(await received.next() == Reply(reply: 5))
            await #expect(throws: MessageError.remoteError("as you asked")) {
                _ = try await messages.request("refuse", expecting: String.self)
            }
            await central.shutDown()
        }
    }

    @Test("Row 16: A thousand concurrent requests are answered")
    func thousand() async throws {
        let world = TestWorld(seed: 4)
        _ = try world.addMessageBox()
        try await world.run {
            let (central, box) = try await world.box()
            let messages = box.boxMessages()
            let replies = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<1_000 {
                    group.addTask {
                        try await messages.request(
                            Question(question: number),
                            expecting: Question.self,
                            timeout: .seconds(300)
                        ).question
                    }
                }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(replies.count == 1_000)
            #expect(messages.statistics.undecodable == 0)
            await central.shutDown()
        }
    }

    @Test(
        "A request fails if the link is lost, and the channel continues on the next link"
    )
    func linkLoss() async throws {
        let world = TestWorld(seed: 5)
        let controller = try world.addMessageBox()
        try await world.run {
            let (central, box) = try await world.box()
            let messages = box.boxMessages()
            #expect(try await messages.request(1, expecting: Int.self) == 1)
            let events = messages.events
            world.air.world.move(controller, to: Position(x: 5_000, y: 0))
            let long = String(repeating: "x", count: 400)
            await #expect(throws: MessageError.disconnected) {
                _ = try await messages.request(long, expecting: String.self, timeout: .seconds(60))
            }
            #expect(!messages.isLinked)
            await #expect(throws: MessageError.disconnected) { try await messages.send(1) }

            world.air.world.move(controller, to: Position(x: 2, y: 0))
            for await event in events where event == .linked { break }
            #expect(try await messages.request(long, expecting: String.self) == long)
            await central.shutDown()
        }
    }

    @Test(
        "Row 16: A channel continues after the accessory ended the link instead of answering"
    )
    func disconnectingAccessory() async throws {
        let world = TestWorld(seed: 6)
        _ = try world.addMessageBox()
        try await world.run {
            let (central, box) = try await world.box()
            let messages = box.boxMessages()
            _ = try await messages.request(1, expecting: Int.self)
            let events = messages.events
            await #expect(throws: MessageError.disconnected) {
                _ = try await messages.request("disconnect", expecting: String.self)
            }
            for await event in events where event == .linked { break }
            #expect(try await messages.request(2, expecting: Int.self) == 2)
            await central.shutDown()
        }
    }

    @Test("Row 16: Messages to a characteristic that cannot be written fail at once")
    func unwritable() async throws {
        let world = TestWorld(seed: 8)
        world.add(
            VirtualAccessory(
                "Particular",
                services: [
                    VirtualService(
                        Box.service,
                        [.writable(Box.inbox).withResponse(), .notifying(Box.outbox)]
                    )
                ]
            )
        )
        try await world.run {
            let (central, box) = try await world.box()
            let messages = box.boxMessages(as: .withoutResponse)
            let start = world.now
            let reason = AccessoryError.notPermitted(Box.inbox)
            for number in 1...3 {
                await #expect(throws: MessageError.notSent("\(reason)")) {
                    try await messages.send(number)
                }
            }
            await #expect(throws: MessageError.notSent("\(reason)")) {
                _ = try await messages.request(1, expecting: Int.self)
            }
            #expect(world.now - start < .seconds(1))
            #expect(messages.isLinked)
            await central.shutDown()
        }
    }

    @Test("Row 16: Messages through an undescribed characteristic fail with an error that names it")
    func undescribed() async throws {
        let world = TestWorld(seed: 8)
        _ = try world.addMessageBox()
        try await world.run {
            let (central, box) = try await world.box()
            let messages = box.messages(writing: Box.inbox, listening: "2A99")
            let reason = AccessoryError.unknownCharacteristic("2A99")
            await #expect(throws: MessageError.notSent("\(reason)")) { try await messages.send(1) }
            await #expect(throws: MessageError.notSent("\(reason)")) {
                _ = try await messages.request(1, expecting: Int.self)
            }
            await central.shutDown()
        }
    }

    @Test("Row 16: A request times out in virtual time, and a canceled one ends at once")
    func timeouts() async throws {
        let world = TestWorld(seed: 7)
        world.add(
            VirtualAccessory(
                "Deaf",
                services: [
                    VirtualService(Box.service, [.writable(Box.inbox), .notifying(Box.outbox)])
                ]
            )
        )
        try await world.run {
            let (central, box) = try await world.box()
            let messages = box.boxMessages()
            let start = world.now
            await #expect(throws: MessageError.timeout) {
                _ = try await messages.request(1, expecting: Int.self, timeout: .seconds(7))
            }
            #expect(world.now - start >= .seconds(7))
            #expect(world.now - start < .milliseconds(7_100))
            let doomed = Task { try await messages.request(2, expecting: Int.self) }
            try await world.advance(by: .seconds(1))
            doomed.cancel()
            await #expect(throws: MessageError.cancelled) { _ = try await doomed.value }
            #expect(world.now - start < .seconds(9))
            await central.shutDown()
        }
    }
}
