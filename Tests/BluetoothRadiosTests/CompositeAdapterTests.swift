// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothPort
import BluetoothTypes
import Synchronization
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

@testable import BluetoothRadios

@Suite("Two radios as one adapter, in virtual time")
struct CompositeAdapterTests {
    /// The events of an adapter, in order.
    private final class Events: PortObserver {
        private let events = Mutex<[PortEvent]>([])

        func portDid(_ event: PortEvent) { events.withLock { $0.append(event) } }

        var all: [PortEvent] { events.withLock { $0 } }

        var openLinks: [LinkIdentifier] {
            var open: [LinkIdentifier] = []
            for event in all {
                switch event {
                case .linkOpened(let link, _, _): open.append(link)
                case .linkClosed(let link, _): open.removeAll { $0 == link }
                default: break
                }
            }
            return open
        }

        var states: [PortState] {
            all.compactMap { if case .stateChanged(let state) = $0 { state } else { nil } }
        }

        var reports: [Advertisement] {
            all.compactMap { if case .advertised(_, let report) = $0 { report } else { nil } }
        }
    }

    /// Two rooms, 20 meters apart, with the radios of one adapter.
    private final class Rooms: Sendable {
        let air: SimulatedAir
        let adapter: CompositeAdapter
        let events = Events()
        let controllers: [ControllerID]
        let transports: [VirtualTransport]

        init(seed: UInt64 = 1, linkLimit: Int? = nil) throws {
            air = SimulatedAir(seed: seed)
            controllers = try [0.0, 20.0].map { [air] meters in
                var configuration = ControllerConfiguration(at: Position(x: meters, y: 0))
                if let linkLimit { configuration.linkLimit = linkLimit }
                return try air.world.addController(configuration)
            }
            transports = controllers.map { [air] in air.adapter(of: $0) }
            adapter = CompositeAdapter(
                transports,
                configuration: HostConfiguration(),
                executor: air.executor
            ) { number, configuration in
                configuration.randomness = SplitMix64(seed: seed &+ UInt64(number))
            }
        }

        /// Runs `body` with the open adapter.
        func run(_ body: @escaping @Sendable (Rooms) async throws -> Void) async throws {
            try await air.run(bound: .seconds(600)) { [self] in
                await onExecutor { [self] in
                    adapter.attach(events)
                    adapter.open()
                }
                try await until { $0.states.last == .ready }
                try await body(self)
                await adapter.shutDown()
                #expect(events.states.last == .closed)
                #expect(events.openLinks.isEmpty)
            }
        }

        @discardableResult
        func onExecutor<Value: Sendable>(
            _ body: @escaping @Sendable () -> Value
        ) async -> Value {
            await withCheckedContinuation { continuation in
                adapter.executor.perform { continuation.resume(returning: body()) }
            }
        }

        /// Waits until a condition on the events holds.
        func until(_ condition: @Sendable (Events) -> Bool) async throws {
            let end = air.now + .seconds(60)
            while !condition(events) {
                guard air.now < end else { throw TimedOut() }
                try await air.sleep(for: .milliseconds(10))
            }
        }

        struct TimedOut: Error {}

        /// Performs a request on a link.
        func ask(_ request: PortRequest, _ link: LinkIdentifier) async throws -> PortAnswer {
            try await withCheckedThrowingContinuation { continuation in
                adapter.executor.perform { [self] in
                    adapter.begin(request, on: link) { continuation.resume(with: $0) }
                }
            }
        }

        /// Adds an accessory. Returns its controller.
        func addAccessory(
            _ name: String = "Demo",
            atMeter meter: Double
        ) throws -> ControllerID {
            try air.world.addController(
                ControllerConfiguration(at: Position(x: meter, y: 1)),
                host: SimpleAccessory(.demo(name: name))
            )
        }

        /// Returns the identifier of an accessory, which has to advertise.
        func find(_ name: String = "Demo") async throws -> PeerIdentifier {
            let scan = await onExecutor { [adapter] in
                adapter.startScan(PortScan(reportsDuplicates: true)) { _ in }
            }
            try await until { $0.reports.contains { $0.data.localName == name } }
            let found = events.reports.first { $0.data.localName == name }
            let address = try #require(found).address
            return await onExecutor { [adapter] in
                adapter.endScan(scan)
                return adapter.identifier(of: address)
            }
        }

        /// Connects to the accessory.
        func connect(_ name: String = "Demo") async throws -> LinkIdentifier {
            let peer = try await find(name)
            let count = events.openLinks.count
            await onExecutor { [adapter] in _ = adapter.connect(to: peer) { _ in } }
            try await until { $0.openLinks.count > count }
            return try #require(events.openLinks.last)
        }
    }

    @Test("A full radio passes its connection requests to the other radio until a link ends")
    func fullRadio() async throws {
        let rooms = try Rooms(linkLimit: 1)
        let names = ["first", "second", "third"]
        for (number, name) in names.enumerated() {
            _ = try rooms.addAccessory(name, atMeter: 5 + Double(number))
        }
        try await rooms.run { rooms in
            let radio: @Sendable (LinkIdentifier) -> Int? = { [adapter = rooms.adapter] link in
                adapter.state.withLock { $0.core.links[link]?.radio }
            }
            let first = try await rooms.connect("first")
            #expect(radio(first) == 0)
            let peer = try await rooms.find("second")
            let begin = rooms.air.now
            await rooms.onExecutor { [adapter = rooms.adapter] in
                _ = adapter.connect(to: peer) { _ in }
            }
            try await rooms.until { $0.openLinks.count == 2 }
            #expect(rooms.air.now - begin < RadioRules().headStart)
            #expect(rooms.events.openLinks.last.flatMap(radio) == 1)

            let third = try await rooms.find("third")
            let failure = await withCheckedContinuation { continuation in
                rooms.adapter.executor.perform { [adapter = rooms.adapter] in
                    _ = adapter.connect(to: third) { continuation.resume(returning: $0) }
                }
            }
            #expect(failure == .refused(.limitReached))
            _ = try await rooms.ask(.disconnect, first)
            let link = try await rooms.connect("third")
            #expect(radio(link) == 0)
        }
    }

    @Test("The choice of a radio is stored, and an unknown name is refused")
    func pins() async throws {
        try await Rooms().run { rooms in
            let names = rooms.adapter.radios.map(\.name)
            let peer = PeerIdentifier(bytes: [1])
            await rooms.onExecutor { [adapter = rooms.adapter] in
                #expect(adapter.pin(peer, toRadio: names[1]))
                #expect(!adapter.pin(peer, toRadio: "hci9"))
                let stored = RadioPins(adapter.record(RadioPins.recordName))
                #expect(stored.names == [peer: names[1]])
                #expect(adapter.state.withLock { $0.core.pins } == [peer: 1])
                #expect(adapter.pin(peer, toRadio: nil))
                #expect(adapter.record(RadioPins.recordName) == nil)
            }
        }
    }

    @Test("A port may report an event while another thread releases the adapter")
    func released() throws {
        var rooms: Rooms? = try Rooms()
        weak var adapter: CompositeAdapter?
        adapter = rooms?.adapter
        let observer = try #require(adapter.map { RadioObserver(radio: 0, of: $0) })
        rooms = nil
        #expect(adapter == nil)
        observer.portDid(.bondsChanged)
    }

    @Test("The link that opened last has the greatest identifier", arguments: [0, 1])
    func newestLink(radio: Int) async throws {
        try await Rooms().run { rooms in
            let peer = PeerIdentifier(bytes: [1])
            let links = [(1 - radio, 9), (radio, 3)].map { ($0, LinkIdentifier(rawValue: $1)) }
            await rooms.onExecutor { [adapter = rooms.adapter] in
                for (radio, link) in links {
                    adapter.receive(.linkOpened(link, peer, isIncoming: true), from: radio)
                }
            }
            let open = rooms.events.openLinks
            #expect(open.count == 2)
            #expect(open.last == open.max())
            await rooms.onExecutor { [adapter = rooms.adapter] in
                for (radio, link) in links {
                    adapter.receive(.linkClosed(link, .linkEnded(.timeout)), from: radio)
                }
            }
        }
    }

    @Test("A choice that the store does not accept is refused")
    func unstoredPin() async throws {
        try await Rooms().run { rooms in
            let name = rooms.adapter.radios[1].name
            await rooms.onExecutor { [adapter = rooms.adapter] in
                for number in 0..<HostCore.applicationRecordLimit {
                    #expect(adapter.storeRecord([1], "record-\(number)"))
                }
                #expect(!adapter.pin(PeerIdentifier(bytes: [1]), toRadio: name))
                #expect(adapter.state.withLock { $0.core.pins }.isEmpty)
            }
        }
    }

    @Test("A scan without duplicates reports a device once, although both radios receive it")
    func discovery() async throws {
        try await Rooms().run { rooms in
            _ = try rooms.addAccessory(atMeter: 10)
            let scan = await rooms.onExecutor { [adapter = rooms.adapter] in
                adapter.startScan(PortScan()) { _ in }
            }
            try await rooms.air.sleep(for: .seconds(5))
            let data = rooms.events.reports.map(\.data.bytes)
            #expect(!data.isEmpty)
            #expect(Set(data).count == data.count)
            await rooms.onExecutor { [adapter = rooms.adapter] in adapter.endScan(scan) }
            let count = rooms.events.reports.count
            try await rooms.air.sleep(for: .seconds(5))
            #expect(rooms.events.reports.count == count)
        }
    }

    @Test("A scan with duplicates gets the reports of the nearer radio", arguments: [0.0, 20.0])
    func nearer(meter: Double) async throws {
        try await Rooms().run { rooms in
            _ = try rooms.addAccessory(atMeter: meter)
            _ = await rooms.onExecutor { [adapter = rooms.adapter] in
                adapter.startScan(PortScan(reportsDuplicates: true)) { _ in }
            }
            try await rooms.air.sleep(for: .seconds(10))
            let strong = rooms.events.reports.filter { ($0.rssi ?? -127) > -50 }
            // Only the first reports may be from the farther radio.
            #expect(rooms.events.reports.count - strong.count <= 4)
            #expect(strong.count > 50)
        }
    }

    @Test("The nearer radio connects, and performs requests to the link", arguments: [0.0, 20.0])
    func link(meter: Double) async throws {
        try await Rooms().run { rooms in
            _ = try rooms.addAccessory(atMeter: meter)
            let link = try await rooms.connect()
            let report = await rooms.onExecutor { [adapter = rooms.adapter] in adapter.report }
            #expect(report.peers.map(\.radio) == [meter == 0 ? 0 : 1])
            #expect(report.peers.map(\.reason) == [.strongest])
            #expect(report.radios.map(\.linkCount) == (meter == 0 ? [1, 0] : [0, 1]))
            guard case .database(let table) = try await rooms.ask(.database, link) else {
                Issue.record("The answer is not a database")
                return
            }
            #expect(table.services.count >= 4)
            _ = try await rooms.ask(.disconnect, link)
            try await rooms.until { $0.openLinks.isEmpty }
        }
    }

    @Test("If one radio fails, its links end, and the adapter stays ready")
    func lostRadio() async throws {
        try await Rooms().run { rooms in
            _ = try rooms.addAccessory(atMeter: 0)
            let link = try await rooms.connect()
            rooms.air.world.switchOff(rooms.controllers[0])
            rooms.transports[0].close(.closedByPeer("room"))
            try await rooms.until { $0.openLinks.isEmpty }
            let errors = rooms.events.all.compactMap { event -> PortError? in
                if case .linkClosed(link, let error) = event { error } else { nil }
            }
            #expect(errors == [.linkEnded(.timeout)])
            #expect(rooms.events.states == [.starting, .ready])
            // The second radio connects.
            _ = try await rooms.connect()
            let report = await rooms.onExecutor { [adapter = rooms.adapter] in adapter.report }
            #expect(report.radios.map(\.isUsable) == [false, true])
            #expect(report.peers.map(\.radio) == [1])
        }
    }

    @Test("The adapter is not ready when all radios have failed, and ready when one returns")
    func allRadios() async throws {
        try await Rooms().run { rooms in
            for (controller, transport) in zip(rooms.controllers, rooms.transports) {
                rooms.air.world.switchOff(controller)
                transport.close(.closedByPeer("room"))
            }
            try await rooms.until { $0.states.last != .ready }
            rooms.air.world.switchOn(rooms.controllers[1])
            try await rooms.until { $0.states.last == .ready }
        }
    }

    @Test("A central uses the service on either radio", arguments: [-5.0, 25.0])
    func serving(meter: Double) async throws {
        try await Rooms().run { rooms in
            let definition = GATT.ServiceDefinition(
                BluetoothUUID(0x180D),
                [.init(BluetoothUUID(0x2A38), [.read, .notify])]
            )
            let service = try await rooms.onExecutor { [adapter = rooms.adapter] in
                Result { try adapter.publish(definition) }
            }.get()
            let value = try #require(service.characteristics.first).valueHandle
            _ = await rooms.onExecutor { [adapter = rooms.adapter] in
                var content = AdvertisingContent()
                content.localName = "Rooms"
                return adapter.advertise(Advertising(content)) { _ in }
            }
            let place = ControllerConfiguration(at: Position(x: meter, y: 0))
            let central = BluetoothHost(
                transport: rooms.air.adapter(of: try rooms.air.world.addController(place)),
                executor: rooms.air.executor
            )
            try await central.start()
            var made: Link?
            for try await found in central.scan(for: ScanFilter(name: "Rooms")) {
                made = try await central.connect(to: found.address)
                break
            }
            let link = try #require(made)
            let reading = Task(executorPreference: rooms.air.executor.taskExecutor) {
                try await link.read(value)
            }
            try await rooms.until {
                $0.all.contains { if case .asked = $0 { true } else { false } }
            }
            for case .asked(_, let id, _) in rooms.events.all {
                await rooms.onExecutor { [adapter = rooms.adapter] in
                    adapter.answer(id, .success([7]), at: nil)
                }
            }
            #expect(try await reading.value == [7])
            await central.shutdown()
            try await rooms.until { $0.openLinks.isEmpty }
            let removed = await rooms.onExecutor { [adapter = rooms.adapter] in
                Result { try adapter.unpublish(service) }
            }
            try removed.get()
        }
    }
}
