// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import BluetoothHost
    import BluetoothRadios
    import CoreBluetooth
    import Foundation
    import HCITransports
    import Lanyard
    import PairingTestSupport
    import Synchronization
    import Testing
    import VirtualAdapters
    import VirtualRadio

    /// A Bumble accessory is carried between two radios of one adapter, in real time. The radios
    /// are sockets and, where `Scripts/test-fleet` has built it, processes of `lanyard-gateway`.
    @Suite(.needsPeers) struct BumbleWalkTests {
        /// The distance between the radios, in meters. It is less than half of their range.
        private static let distance = 45.0
        private static let limit = Duration.seconds(90)

        private static let service: BluetoothID = "4C414E59-4152-4400-A000-000000000030"
        private static let counter: BluetoothID = "4C414E59-4152-4400-A000-000000000031"
        private static let secret: BluetoothID = "4C414E59-4152-4400-A000-000000000032"

        private static var walker: AccessoryDescription {
            var description = AccessoryDescription(
                kind: "walker",
                matching: .name("Walker"),
                services: [ServiceDescription(service, [.subscribe(counter), .read(secret)])]
            )
            description.pairing = .required(probing: secret)
            return description
        }

        /// The connection to the controllers: plain sockets, or `lanyard-gateway` processes.
        enum ControllerConnection: String, Sendable {
            case sockets, gateways

            static var all: [ControllerConnection] {
                Gateways.program == nil ? [.sockets] : [.sockets, .gateways]
            }
        }

        /// The ways to lose a gateway.
        enum Loss: String, CaseIterable, Sendable {
            /// The process is killed.
            case killed
            /// The network to the gateway is cut, so that neither side receives the other.
            case cutOff
        }

        @Test(
            "A Bumble accessory that walks between two radios keeps its bond and notifications",
            arguments: ControllerConnection.all
        )
        func walk(connection: ControllerConnection) async throws {
            try await withBuilding(connection) { building in
                let central = Self.makeCentral(building)
                let accessory = try await within(Self.limit, "a pairing") {
                    try await central.pair(Self.walker)
                }
                let values = try accessory.values(of: Self.counter)
                for room in [0, 1, 0] {
                    await building.move(toMeter: Double(room) * Self.distance)
                    try await within(Self.limit, "values through radio \(room)") {
                        for await _ in values {
                            if await building.path == room { return }
                        }
                    }
                    let value = try await within(Self.limit, "the secret") {
                        try await accessory.read(Self.secret)
                    }
                    #expect(value == Data("secret".utf8))
                }
                // The user consented once, so the accessory paired once.
                #expect(building.person.experiences == [.consented])
                await central.shutDown()
            }
        }

        /// The time in which an accessory must be ready again after the loss of its gateway.
        private static let returnLimit = Duration.seconds(5)

        @Test(
            "After the loss of its gateway, an accessory is ready through another within 5 seconds",
            .enabled(if: Gateways.program != nil),
            arguments: Loss.allCases
        )
        func loss(loss: Loss) async throws {
            try await withBuilding(.gateways, distance: 8) { building in
                let central = Self.makeCentral(building)
                let accessory = try await within(Self.limit, "a pairing") {
                    try await central.pair(Self.walker)
                }
                let values = try accessory.values(of: Self.counter)
                let first = try await within(Self.limit, "values") {
                    for await _ in values {
                        if let path = await building.path { return path }
                    }
                    return -1
                }
                let changes = accessory.changes
                switch loss {
                case .killed: building.gateways?[first].kill()
                case .cutOff: building.gateways?.cut(first)
                }
                let gap = try await within(Self.limit, "the return") {
                    for await change in changes {
                        if let gap = change.gap { return gap }
                    }
                    return Duration.seconds(1_000)
                }
                // The reported gap begins when the host detects the loss. It detects a cut network
                // only after 3 s of silence, which also count toward the limit.
                let silence = loss == .cutOff ? Duration.seconds(3) : .zero
                #expect(gap + silence <= Self.returnLimit, "\(loss): a gap of \(gap)")
                #expect(await building.path == 1 - first)
                let value = try await accessory.read(Self.secret)
                #expect(value == Data("secret".utf8))
                #expect(building.person.experiences == [.consented])
                await central.shutDown()
            }
        }

        private static func makeCentral(_ building: Building) -> AccessoryCentral {
            var configuration = AccessoryCentral.Configuration(name: "walk")
            configuration.adapter = building.adapter
            configuration.store = MemoryAccessoryStore()
            configuration.allowsUnfilteredScans = true
            return AccessoryCentral(for: [walker], configuration: configuration)
        }

        /// A composite adapter with two radios, and the process of a walker, which begins beside
        /// the first radio.
        private struct Building: Sendable {
            let air: LiveAir
            let walker: ControllerID
            let adapter: CBAdapter
            let person: Person
            let composite: Composite
            let gateways: Gateways?

            /// Moves the walker at once.
            func move(toMeter meter: Double) async {
                await air.perform { [walker] world in
                    world.move(walker, to: Position(x: meter, y: 1))
                }
            }

            /// The radio of the walker's link; `nil` without a link.
            var path: Int? {
                get async { await composite.report()?.peers.first?.radio }
            }
        }

        /// The composite adapter, once it is open.
        private final class Composite: Sendable {
            private let adapter = Mutex<CompositeAdapter?>(nil)

            func take(_ adapter: CompositeAdapter) { self.adapter.withLock { $0 = adapter } }

            func report() async -> RadioReport? {
                let adapter = adapter.withLock { $0 }
                guard let adapter else { return nil }
                return await withCheckedContinuation { continuation in
                    adapter.executor.perform { continuation.resume(returning: adapter.report) }
                }
            }
        }

        private func withBuilding(
            _ connection: ControllerConnection,
            distance: Double = distance,
            _ body: (Building) async throws -> Void
        ) async throws {
            let world = World(seed: 1)
            let controllers = try [0, distance, 0].map { meter in
                try world.addController(ControllerConfiguration(at: Position(x: meter, y: 1)))
            }
            let air = LiveAir(world)
            defer { air.shutDown() }
            // A server for each controller, so that each host gets its own.
            var servers: [AirServer] = []
            var adapters: [AdapterSpecification] = []
            for controller in controllers {
                let server = AirServer(air, waiting: [controller]) { _ in }
                servers.append(server)
                adapters.append(try await server.listen(at: .tcp(host: "127.0.0.1", port: 0)))
            }
            let gateways =
                connection == .gateways
                ? try Gateways(program: try #require(Gateways.program)) : nil
            let result: Result<Void, any Error>
            do {
                try await withPeers { peers in
                    _ = try await peers.accessory(
                        .walker,
                        on: adapters[2].description,
                        name: "Walker"
                    )
                    var transports: [any HCITransport] = []
                    for (number, adapter) in adapters.prefix(2).enumerated() {
                        let gateway = try await gateways?.start("room-\(number)", adapter)
                        transports.append(gateway ?? adapter.makeTransport())
                    }
                    try await run(body, air, controllers[2], transports, gateways)
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await gateways?.end()
            for server in servers { await server.stop() }
            try result.get()
        }

        private func run(
            _ body: (Building) async throws -> Void,
            _ air: LiveAir,
            _ walker: ControllerID,
            _ transports: [any HCITransport],
            _ gateways: Gateways?
        ) async throws {
            let executor = AdapterExecutor()
            defer { executor.shutDown() }
            let (person, composite) = (Person(), Composite())
            var configuration = HostConfiguration()
            configuration.pairingDelegate = person
            configuration.privacy = .on
            let adapter = CBAdapter(
                radios: transports,
                executor: executor,
                configuration: configuration,
                made: { composite.take($0) }
            )
            let building = Building(
                air: air,
                walker: walker,
                adapter: adapter,
                person: person,
                composite: composite,
                gateways: gateways
            )
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(building))
            } catch {
                result = .failure(error)
            }
            await adapter.shutDown()
            try result.get()
        }
    }
#endif
