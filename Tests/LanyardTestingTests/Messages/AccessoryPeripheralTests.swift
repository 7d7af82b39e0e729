// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Publishing an accessory", .eachSystem)
struct AccessoryPeripheralTests {
    private static let accessory = PublishedAccessory(
        name: "Gateway",
        services: [
            .messages(Box.service, inbox: Box.inbox, outbox: Box.outbox),
            PublishedService(
                "FF00",
                [
                    .readable("FF01", Data((0..<400).map { UInt8(truncatingIfNeeded: $0) })),
                    .writable("FF02"),
                    .notifying("FF03", Data([0])),
                ]
            ),
        ],
        advertised: [Box.service]
    )

    private static let description = AccessoryDescription(
        kind: "gateway",
        matching: .service(Box.service),
        services: [
            ServiceDescription(Box.service, [.write(Box.inbox), .subscribe(Box.outbox)]),
            ServiceDescription(
                "FF00",
                [
                    .read("FF01"), CharacteristicDescription("FF02", [.read, .write]),
                    .subscribe("FF03"),
                ]
            ),
        ]
    )

    private func peripheral(
        _ world: TestWorld,
        _ phone: TestPhone,
        _ change: (inout AccessoryPeripheral.Configuration) -> Void = { _ in }
    ) -> AccessoryPeripheral {
        var configuration = phone.peripheralConfiguration
        change(&configuration)
        return AccessoryPeripheral(Self.accessory, configuration: configuration)
    }

    private func visit(_ world: TestWorld) async throws -> (AccessoryCentral, Accessory) {
        var configuration = world.phone.configuration
        configuration.store = .memory
        let central = AccessoryCentral(for: [Self.description], configuration: configuration)
        return (central, try await central.pair(Self.description))
    }

    @Test("Row 18: A service that the system reserves is reported, and nothing is advertised")
    func reservedService() async throws {
        let world = TestWorld(seed: 30)
        let gateway = world.addPhone("gateway")
        try await world.run {
            let peripheral = AccessoryPeripheral(
                PublishedAccessory(
                    name: "Gateway",
                    services: [PublishedService("180F", [.readable("2A19", Data([87]))])]
                ),
                configuration: gateway.peripheralConfiguration
            )
            let failures = peripheral.events.compactMap { event in
                if case .failed(let reason) = event { reason } else { nil }
            }
            #expect(
                await failures.first { _ in true }
                    == "the service 180F is not published, so the accessory is not advertised: "
                    + "The specified UUID is not allowed for this operation."
            )
        }
    }

    @Test("Row 18: Two services with the same UUID are published, and advertised once")
    func sameService() async throws {
        let world = TestWorld(seed: 31)
        let gateway = world.addPhone("gateway")
        try await world.run {
            let peripheral = AccessoryPeripheral(
                PublishedAccessory(
                    name: "Gateway",
                    services: [
                        PublishedService("FF10", [.readable("FF11", Data([1]))]),
                        PublishedService("FF10", [.readable("FF12", Data([2]))]),
                    ]
                ),
                configuration: gateway.peripheralConfiguration
            )
            let events = ReceivedValues<PeripheralEvent>()
            let observation = peripheral.events.forEach { events.add($0) }
            let description = AccessoryDescription(
                kind: "gateway",
                matching: .service("FF10"),
                services: [ServiceDescription("FF10", [.read("FF11"), .read("FF12")])]
            )
            let central = world.phone.central(description)
            let accessory = try await central.pair(description)
            #expect(try await accessory.read("FF11") == Data([1]))
            #expect(try await accessory.read("FF12") == Data([2]))
            #expect(events.values == [.availability(.poweredOn), .advertising])
            observation.cancel()
            peripheral.close()
        }
    }

    @Test("Row 18: An accessory without services is advertised")
    func withoutServices() async throws {
        let world = TestWorld(seed: 33)
        let gateway = world.addPhone("gateway")
        try await world.run {
            let peripheral = AccessoryPeripheral(
                PublishedAccessory(name: "Beacon", services: [], advertised: ["FF10"]),
                configuration: gateway.peripheralConfiguration
            )
            let central = world.phone.central()
            let events = try central.presence(matching: .service("FF10"))
            let received = ReceivedValues<PresenceEvent>()
            let observation = events.forEach { received.add($0) }
            try await world.expect("the advertisement is received", within: .seconds(5)) {
                !received.values.isEmpty
            }
            observation.cancel()
            peripheral.close()
        }
    }

    @Test("Row 18: Long values can be read, values written, and changes observed")
    func values() async throws {
        let world = TestWorld(seed: 8)
        let gateway = world.addPhone("gateway")
        try await world.run { [self] in
            let peripheral = peripheral(world, gateway) {
                $0.validateWrites = { $0["FF02"] == Data([0xBA, 0xD0]) ? .unlikelyError : nil }
            }
            var events = peripheral.events.makeAsyncIterator()
            let (central, accessory) = try await visit(world)
            #expect(try await accessory.read("FF01").count == 400)
            try await accessory.write(Data([1, 2, 3]), to: "FF02")
            #expect(peripheral.value(of: "FF02") == Data([1, 2, 3]))
            await #expect(throws: AccessoryError.self) {
                try await accessory.write(Data([0xBA, 0xD0]), to: "FF02")
            }
            #expect(peripheral.value(of: "FF02") == Data([1, 2, 3]))
            while let event = await events.next() {
                guard case .written(_, "FF02", let value) = event else { continue }
                #expect(value == Data([1, 2, 3]))
                break
            }
            var changes = try accessory.values(of: "FF03").makeAsyncIterator()
            peripheral.setValue(Data([7]), of: "FF03")
            #expect(await changes.next() == Data([7]))
            peripheral.setValue(Data([8]), of: "FF02")
            #expect(try await accessory.read("FF02") == Data([8]))
            await central.shutDown()
            peripheral.close()
        }
    }

    @Test("Row 18: Messages and requests travel in both directions")
    func messages() async throws {
        let world = TestWorld(seed: 9)
        let gateway = world.addPhone("gateway")
        try await world.run { [self] in
            let peripheral = peripheral(world, gateway)
            var channels = peripheral.channels.makeAsyncIterator()
            let (central, accessory) = try await visit(world)
            let near = accessory.boxMessages()
            let far = try #require(await channels.next())
            let observations = [
                far.answer(Question.self) { Reply(reply: $0.question * 2) },
                near.answer(Question.self) { question async in
                    Reply(reply: question.question * 3)
                },
            ]
            for number in 1...20 {
                async let double = near.request(Question(question: number), expecting: Reply.self)
                async let triple = far.request(Question(question: number), expecting: Reply.self)
                #expect(try await double == Reply(reply: number * 2))
                #expect(try await triple == Reply(reply: number * 3))
            }
            let long = String(repeating: "x", count: 20_000)
            var received = near.messages(of: String.self).makeAsyncIterator()
            try await far.send(long)
            #expect(await received.next() == long)
            withExtendedLifetime(observations) {}
            await central.shutDown()
            peripheral.close()
        }
    }

    @Test("Row 18: A central that returns gets its former channel")
    func returning() async throws {
        let world = TestWorld(seed: 10)
        let gateway = world.addPhone("gateway")
        try await world.run { [self] in
            let peripheral = peripheral(world, gateway)
            var channels = peripheral.channels.makeAsyncIterator()
            let (central, accessory) = try await visit(world)
            let near = accessory.boxMessages()
            let far = try #require(await channels.next())
            let observation = far.answer(Int.self) { $0 + 1 }
            #expect(try await near.request(1, expecting: Int.self) == 2)
            let (farEvents, nearEvents) = (far.events, near.events)
            try await accessory.disconnect()
            for await event in farEvents {
                if case .unlinked = event { break }
            }
            accessory.connect()
            for await event in nearEvents where event == .linked { break }
            #expect(try await near.request(2, expecting: Int.self) == 3)
            #expect(far.statistics.links == 2)
            withExtendedLifetime(observation) {}
            await central.shutDown()
            peripheral.close()
        }
    }

    @Test(
        "Row 18: Services requested while Bluetooth is off are published whenever it is switched on"
    )
    func powerOnGate() async throws {
        let world = TestWorld(seed: 11)
        let gateway = world.addPhone("gateway")
        try await world.run { [self] in
            gateway.isPoweredOn = false
            let peripheral = peripheral(world, gateway)
            let events = peripheral.events
            for await event in events where event == .availability(.poweredOff) { break }
            for _ in 1...2 {
                gateway.isPoweredOn = true
                for await event in events where event == .advertising { break }
                gateway.isPoweredOn = false
                for await event in events where event == .availability(.poweredOff) { break }
            }
            gateway.isPoweredOn = true
            let (central, accessory) = try await visit(world)
            #expect(try await accessory.read("FF03") == Data([0]))
            await central.shutDown()
            peripheral.close()
        }
    }

    @Test("Row 18: A central without a subscription to the outbox cannot write to the inbox")
    func writingWithoutListening() async throws {
        let world = TestWorld(seed: 13)
        let gateway = world.addPhone("gateway")
        try await world.run { [self] in
            let peripheral = peripheral(world, gateway)
            let writer = AccessoryDescription(
                kind: "writer",
                matching: .service(Box.service),
                services: [ServiceDescription(Box.service, [.write(Box.inbox)])]
            )
            var configuration = world.phone.configuration
            configuration.store = .memory
            let central = AccessoryCentral(for: [writer], configuration: configuration)
            let accessory = try await central.pair(writer)
            await #expect(throws: AccessoryError.self) {
                try await accessory.write(Data([2, 3]), to: Box.inbox, as: .withResponse)
            }
            await central.shutDown()
            peripheral.close()
        }
    }

    @Test("Row 18: Published services are restored after a restart")
    func restoration() async throws {
        let world = TestWorld(seed: 14)
        let gateway = world.addPhone("gateway")
        try await world.run { [self] in
            let first = peripheral(world, gateway) { $0.restoreIdentifier = "gateway" }
            for await event in first.events where event == .advertising { break }
            await gateway.endApp()
            let second = peripheral(world, gateway) { $0.restoreIdentifier = "gateway" }
            var seen: [PeripheralEvent] = []
            for await event in second.events {
                seen.append(event)
                if event == .advertising { break }
            }
            #expect(seen.contains(.restored))
            let (central, accessory) = try await visit(world)
            #expect(try await accessory.read("FF03") == Data([0]))
            await central.shutDown()
            second.close()
            withExtendedLifetime(first) {}
        }
    }

    @Test("Row 17: Sealed messages travel in both directions, with a new session on the next link")
    func sealed() async throws {
        let world = TestWorld(seed: 15)
        let gateway = world.addPhone("gateway")
        let key = SealingKey(random: .bits256)
        try await world.run { [self] in
            let options = MessageChannelOptions(sealing: GCMSealing(key: key))
            let peripheral = peripheral(world, gateway) { $0.messages = options }
            var channels = peripheral.channels.makeAsyncIterator()
            let (central, accessory) = try await visit(world)
            let near = accessory.boxMessages(options)
            let far = try #require(await channels.next())
            let observation = far.answer(Question.self) { Reply(reply: $0.question * 2) }
            for number in 1...3 {
                let reply = try await near.request(
                    Question(question: number),
                    expecting: Reply.self
                )
                #expect(reply == Reply(reply: number * 2))
                let events = near.events
                try await accessory.disconnect()
                accessory.connect()
                for await event in events where event == .linked { break }
            }
            #expect(near.statistics.unopened == 0)
            #expect(far.statistics.links >= 3)
            withExtendedLifetime(observation) {}
            await central.shutDown()
            peripheral.close()
        }
    }
}
