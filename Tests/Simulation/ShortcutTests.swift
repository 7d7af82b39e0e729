// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import LanyardTestSupport
import Synchronization
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

/// A shortcut performs several steps of a world at once, if nothing else happens between them.
@Suite("The shortcuts of the virtual radio")
struct ShortcutTests {
    @Test(
        "Shortcuts change neither the packets nor their times",
        arguments: RunSeed.seeds(5),
        [0, 0.1]
    )
    func sameTrace(seed: UInt64, loss: Double) async throws {
        let fast = ThermometerHarness(seed: seed, loss: loss)
        let single = ThermometerHarness(seed: seed, loss: loss)
        single.air.world.core.ether.takesShortcuts = false
        let trace = try await fast.run()
        let expected = try await single.run()
        #expect(trace.hostPackets > 300)
        #expect(trace.advertisements > 100)
        #expect(trace == expected)
        let links = fast.air.world.core.ether.links.all
        let expectedLinks = single.air.world.core.ether.links.all
        #expect(!links.isEmpty)
        #expect(links.map(\.anchor) == expectedLinks.map(\.anchor))
        #expect(links.map(\.centralSignal) == expectedLinks.map(\.centralSignal))
        #expect(links.map(\.peripheralSignal) == expectedLinks.map(\.peripheralSignal))
        // The air does not record the packets of an event that is performed in one step.
        #expect(fast.recordedDataPackets < single.recordedDataPackets)
    }
}

/// A phone that scans, and thermometers around it that it connects to, one of which leaves and
/// returns.
private final class ThermometerHarness: Sendable {
    static let thermometerCount = 5

    let air: SimulatedAir
    private let seed: UInt64
    private let phone: VirtualTransport?
    private let thermometers: [ControllerID]
    private let trace = Recorder()

    init(seed: UInt64, loss: Double) {
        self.seed = seed
        air = SimulatedAir(seed: seed)
        var faults = FaultPlan.none
        faults.loss.constantLoss = loss
        phone = try? air.addAdapter(ControllerConfiguration(name: "phone", faults: faults))
        thermometers = (0..<Self.thermometerCount).compactMap { [air] number in
            try? air.world.addController(
                ControllerConfiguration(name: "T\(number)", at: Position(x: 3, y: Double(number))),
                host: SimpleAccessory(.thermometer(name: "T\(number)"))
            )
        }
        air.world.observe { [trace] packet in
            trace.contents.withLock { trace in
                trace.hostPackets += 1
                let nanoseconds = packet.instant.nanoseconds
                trace.add("\(packet.controller) \(packet.direction) \(nanoseconds)".utf8)
                trace.add(packet.bytes)
            }
        }
        air.world.core.packetObserver = { [trace] packet in
            trace.contents.withLock { trace in
                trace.advertisements += 1
                let channel = packet.transmission.channel.index
                let start = packet.transmission.start.nanoseconds
                trace.add("\(packet.sender) \(channel) \(start)".utf8)
            }
        }
    }

    /// The number of packets on data channels that the air has recorded and not yet forgotten.
    var recordedDataPackets: Int {
        (0..<37).compactMap { RadioChannel($0) }
            .reduce(0) { $0 + air.world.core.ether.air.transmissionCount(on: $1) }
    }

    /// Lets about half a minute pass, and returns the trace.
    func run() async throws -> Trace {
        let phone = try #require(phone)
        try #require(thermometers.count == Self.thermometerCount)
        try await air.run(bound: .seconds(3600)) { [self, air] in
            var configuration = HostConfiguration()
            configuration.randomness = SplitMix64(seed: seed)
            configuration.address = DeviceAddress("C0:00:00:00:00:01", kind: .random)
            let host = BluetoothHost(
                transport: phone,
                configuration: configuration,
                executor: air.executor
            )
            try await host.start()
            let scan = host.scan(reportsDuplicates: true)
            var values: [NotificationStream] = []
            for number in thermometers.indices {
                let link = try await host.connect(to: find("T\(number)", by: host))
                let temperature = try await link.discoverCharacteristics(uuid: .init(0x2A6E))
                values.append(try await link.subscribe(to: #require(temperature.first)))
            }
            try await air.sleep(for: .seconds(8))
            air.world.move(thermometers[0], to: Position(x: 10_000, y: 0))
            // Longer than the supervision timeout.
            try await air.sleep(for: .seconds(10))
            air.world.move(thermometers[0], to: Position(x: 3, y: 0))
            let link = try await host.connect(to: find("T0", by: host))
            try await air.sleep(for: .seconds(8))
            withExtendedLifetime((scan, values, link)) {}
            return ()
        }
        return trace.contents.withLock { $0 }
    }

    private func find(_ name: String, by host: BluetoothHost) async throws -> DeviceAddress {
        for try await found in host.scan(for: ScanFilter(name: name)) { return found.address }
        throw AccessoryHarness.NothingFound()
    }
}

/// The last packet that an end of a link has received.
private struct Signal: Equatable {
    let instant: Instant?
    let rssi: Int8

    init?(_ end: LinkEnd?) {
        guard let end else { return nil }
        instant = end.lastReceived
        rssi = end.rssi
    }
}

extension RadioLink {
    fileprivate var centralSignal: Signal? { Signal(central) }
    fileprivate var peripheralSignal: Signal? { Signal(peripheral) }
}

/// The events of a world: numbers of packets, and a digest of their times and of the bytes of the
/// host packets.
private struct Trace: Equatable, Sendable {
    var hostPackets = 0
    var advertisements = 0
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
}

private final class Recorder: Sendable {
    let contents = Mutex(Trace())
}
