// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import CoreBluetooth
    import Foundation
    import Lanyard
    import LanyardTesting

    /// The cost of messages from one end to the other: two phones on the virtual radio, with
    /// Lanyard on both, in this process. It is compared with the cost of writes of as many bytes
    /// to a characteristic of the same accessory, over the same link.
    struct AirTable {
        private static let service: BluetoothID = "FFE0"
        private static let inbox: BluetoothID = "FFE1"
        private static let outbox: BluetoothID = "FFE2"
        private static let value: BluetoothID = "FFE3"
        private static let count = 2_000

        private struct Figure: Sendable {
            let name: String
            /// The real time of one operation.
            let each: Duration
            /// The virtual time of one operation.
            let onAir: Duration
        }

        private static let accessory = PublishedAccessory(
            name: "Gateway",
            services: [
                .messages(service, inbox: inbox, outbox: outbox),
                PublishedService("FFE4", [.writable(value)]),
            ],
            advertised: [service]
        )

        private static let description = AccessoryDescription(
            kind: "gateway",
            matching: .service(service),
            services: [
                ServiceDescription(service, [.write(inbox), .subscribe(outbox)]),
                ServiceDescription("FFE4", [.write(value)]),
            ]
        )

        func print() async throws {
            let world = TestWorld(seed: 1)
            let phone = world.addPhone("gateway")
            let figures = try await world.run {
                let configuration = AccessoryPeripheral.Configuration(
                    adapter: phone.adapter,
                    timekeeper: world.timekeeper
                )
                let gateway = AccessoryPeripheral(Self.accessory, configuration: configuration)
                defer { gateway.close() }
                return try await measure(world, gateway)
            }
            let own = figures[0].each
            Swift.print("")
            Swift.print(
                "| over the virtual radio | a second | µs for each | as long as a write | air, ms |"
            )
            Swift.print("|---|--:|--:|--:|--:|")
            for figure in figures {
                let each = MessageTable.tenths(figure.each / .microseconds(1))
                let rate = Int(Duration.seconds(1) / figure.each)
                let ratio = MessageTable.tenths(figure.each / own)
                let air = MessageTable.tenths(figure.onAir / .milliseconds(1))
                Swift.print("| \(figure.name) | \(rate) | \(each) | \(ratio) | \(air) |")
            }
        }

        private func measure(
            _ world: TestWorld,
            _ gateway: AccessoryPeripheral
        ) async throws -> [Figure] {
            var channels = gateway.channels.makeAsyncIterator()
            let central = AccessoryCentral(
                for: [Self.description],
                configuration: world.phone.configuration
            )
            let accessory = try await central.pair(Self.description)
            let near = accessory.messages(writing: Self.inbox, listening: Self.outbox)
            guard let far = await channels.next() else { return [] }
            let service = far.answer(MessageTable.Reading.self) { $0 }
            let reading = MessageTable.Reading()
            // The frame of the message has one more byte at each end.
            let length = try JSONEncoder().encode(["tell": reading]).count + 2
            let bytes = Data(repeating: 0x20, count: length)
            let figures = [
                try await time("writes of as many bytes", world) {
                    try await accessory.write(bytes, to: Self.value)
                },
                try await time("messages, one after the other", world) {
                    try await near.send(reading)
                },
                try await time("requests, one after the other", world) {
                    _ = try await near.request(reading, expecting: MessageTable.Reading.self)
                },
                try await time("requests, 16 at once", world, atOnce: 16) {
                    _ = try await near.request(reading, expecting: MessageTable.Reading.self)
                },
            ]
            withExtendedLifetime(service) {}
            await central.shutDown()
            return figures
        }

        private func time(
            _ name: String,
            _ world: TestWorld,
            atOnce: Int = 1,
            _ body: @escaping @Sendable () async throws -> Void
        ) async throws -> Figure {
            for _ in 0..<100 { try await body() }
            let (start, airStart) = (ContinuousClock.now, world.now)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<atOnce {
                    group.addTask { for _ in 0..<Self.count / atOnce { try await body() } }
                }
                try await group.waitForAll()
            }
            let count = Self.count / atOnce * atOnce
            return Figure(
                name: name,
                each: (ContinuousClock.now - start) / count,
                onAir: (world.now - airStart) / count
            )
        }
    }
#endif
