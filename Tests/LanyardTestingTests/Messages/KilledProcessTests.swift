// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTestSupport
import LanyardTesting
import Testing

/// Two bonded phones that exchange messages. The app of one phone is killed and starts again before
/// the other phone has detected the end of the link. Both phones use private addresses, because a
/// controller with a link to an address does not permit a second link to it.
@Suite("Messages with a restarted process", .eachSystem)
struct KilledProcessTests {
    enum Form: CaseIterable {
        case plain, sealed

        func options() throws -> MessageChannelOptions {
            switch self {
            case .plain: MessageChannelOptions()
            case .sealed:
                MessageChannelOptions(
                    sealing: GCMSealing(key: try SealingKey(Data(repeating: 7, count: 32)))
                )
            }
        }
    }

    /// A number of seconds that exceeds the supervision timeout of any link in these tests.
    private static let secondsAfterwards = 15
    /// The time in which messages must arrive again: the longest supervision timeout of these
    /// links, and the time for a new link.
    private static let returnLimit = Duration.seconds(8)

    private static let accessory = PublishedAccessory(
        name: "Gateway",
        services: [
            .messages(Box.service, inbox: Box.inbox, outbox: Box.outbox, isProtected: true)
        ]
    )

    private func serve(
        _ world: TestWorld,
        on phone: TestPhone,
        _ form: Form
    ) throws -> AccessoryPeripheral {
        var configuration = phone.peripheralConfiguration
        configuration.messages = try form.options()
        return AccessoryPeripheral(Self.accessory, configuration: configuration)
    }

    private func central(on phone: TestPhone) -> AccessoryCentral {
        phone.launch { AccessoryCentral(for: [Box.description], configuration: $0) }
    }

    /// Answers the questions of all centrals until the peripheral is closed.
    private func answer(of peripheral: AccessoryPeripheral, factor: Int) {
        let channels = peripheral.channels
        Task {
            var answers: [ObservationToken] = []
            for await channel in channels {
                answers.append(
                    channel.answer(Question.self) { Reply(reply: $0.question * factor) }
                )
            }
            withExtendedLifetime(answers) {}
        }
    }

    /// Sends a request every second until every former link has timed out.
    private func ask(
        _ messages: MessageChannel,
        factor: Int,
        in world: TestWorld
    ) async throws {
        for number in 1...Self.secondsAfterwards {
            let question = Question(question: number)
            let reply = try await messages.request(question, expecting: Reply.self)
            #expect(reply == Reply(reply: number * factor))
            try await world.advance(by: .seconds(1))
        }
    }

    /// Returns the accessory of a bonded phone at its next launch.
    private func known(by phone: TestPhone) async throws -> Accessory {
        let accessory = try #require(central(on: phone).knownAccessory(Box.description))
        try await accessory.untilReady()
        return accessory
    }

    @Test(
        "Row 18: A bonded central that returns within the supervision timeout is served",
        arguments: Form.allCases,
        RunSeed.seeds(5)
    )
    func centralKilled(form: Form, seed: UInt64) async throws {
        let world = TestWorld(seed: seed)
        let gateway = world.addPhone("gateway", hasPrivateAddress: true)
        let phone = world.addPhone("private phone", hasPrivateAddress: true)
        try await world.run { [self] in
            let peripheral = try serve(world, on: gateway, form)
            answer(of: peripheral, factor: 2)
            let options = try form.options()
            let former = try await central(on: phone).pair(Box.description).boxMessages(options)
            try await ask(former, factor: 2, in: world)
            await phone.killApp()
            try await world.advance(by: .seconds(1))
            let killed = world.now
            let messages = try await known(by: phone).boxMessages(options)
            #expect(world.now - killed < .seconds(3), "the former link has already ended")
            try await ask(messages, factor: 2, in: world)
            #expect(messages.statistics.links == 1)
            withExtendedLifetime(former) {}
            peripheral.close()
        }
    }

    @Test(
        "Row 18: An accessory that returns within the supervision timeout serves its central again",
        arguments: Form.allCases,
        RunSeed.seeds(5)
    )
    func accessoryKilled(form: Form, seed: UInt64) async throws {
        let world = TestWorld(seed: seed)
        let gateway = world.addPhone("gateway", hasPrivateAddress: true)
        let phone = world.addPhone("private phone", hasPrivateAddress: true)
        try await world.run { [self] in
            let former = try serve(world, on: gateway, form)
            answer(of: former, factor: 2)
            let messages = try await central(on: phone).pair(Box.description)
                .boxMessages(try form.options())
            try await ask(messages, factor: 2, in: world)
            let events = messages.events
            await gateway.killApp()
            let killed = world.now
            try await world.advance(by: .seconds(1))
            let peripheral = try serve(world, on: gateway, form)
            answer(of: peripheral, factor: 3)
            for await event in events where event == .linked { break }
            #expect(world.now - killed < Self.returnLimit, "messages arrive too late")
            try await ask(messages, factor: 3, in: world)
            #expect(messages.statistics.links == 2)
            withExtendedLifetime(former) {}
            peripheral.close()
        }
    }
}
