// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import BluetoothHost
    import Foundation
    import Lanyard
    import Synchronization
    import Testing

    /// A Bumble client with the published values of an `AccessoryPeripheral`.
    @Suite(.needsPeers) struct BumbleValueTests {
        private static func uuid(_ text: String) throws -> BluetoothUUID {
            try #require(BluetoothUUID(text))
        }

        @Test(
            "Row 18: Bumble reads a computed value, and an indication is delivered once Bumble confirms it"
        )
        func values() async throws {
            let readings = Readings()
            try await withBoxFixture { fixture in
                let client = try await fixture.peers.client(on: fixture.controllers.adapters[1])
                var configuration = AccessoryPeripheral.Configuration()
                configuration.adapter = try fixture.adapter()
                let station = AccessoryPeripheral(
                    PublishedAccessory(
                        name: "Station",
                        services: [
                            PublishedService(
                                "FF20",
                                [
                                    .computed("FF21") { _ in
                                        Data(Demo.pattern(300, start: readings.next()))
                                    },
                                    .indicating("FF23", Data([0])),
                                ]
                            )
                        ]
                    ),
                    configuration: configuration
                )
                let events = station.events
                try await client.connect(name: "Station")
                let computed = try await client.handle(Self.uuid("FF21"))
                #expect(try await client.readLong(computed) == Demo.pattern(300, start: 1))
                #expect(try await client.readLong(computed) == Demo.pattern(300, start: 2))

                let indicated = try await client.handle(Self.uuid("FF23"))
                try await client.subscribe(to: indicated, indicates: true)
                let central = try await within(BoxFixture.limit, "the subscription") {
                    for await event in events {
                        if case .subscribed(let central, to: "FF23") = event { return central }
                    }
                    throw ProcessError.tooSlow("the subscription")
                }
                try await station.send(Data([5]), of: "FF23", to: central)
                let confirmed = try await client.values(1, of: indicated)
                #expect(confirmed.map(\.bytes) == [[5]])
                #expect(confirmed.map(\.kind) == [.indication])

                // A value that arrives without a confirmation counts as not delivered.
                try await client.confirms(false)
                let unconfirmed = Task { try await station.send(Data([6]), of: "FF23") }
                #expect(try await client.values(1, of: indicated).map(\.bytes) == [[6]])
                try await client.disconnect()
                await #expect(throws: PeripheralError.notDelivered) {
                    try await unconfirmed.value
                }
                station.close()
            }
        }
    }

    /// A counter of the reads, so that each read computes another value.
    private final class Readings: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }
#endif
