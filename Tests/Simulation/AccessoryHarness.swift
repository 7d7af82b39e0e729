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

/// A phone with our host at the origin, and an accessory beside it, on a virtual radio with
/// invariant checkers.
final class AccessoryHarness: Sendable {
    let air: SimulatedAir
    private let seed: UInt64
    let phone: VirtualTransport
    let accessory: ControllerID
    private let trace = TraceRecord()

    /// Creates a harness with the demo accessory `meters` away from the phone. Pass `false` as
    /// `isWatched` if faults of the wire violate invariants.
    init(
        seed: UInt64,
        meters: Double = 2,
        phoneFaults: FaultPlan = .none,
        accessoryFaults: FaultPlan = .none,
        isWatched: Bool = true
    ) throws {
        self.seed = seed
        air = SimulatedAir(seed: seed)
        if isWatched { air.world.watchInvariants() }
        phone = try air.addAdapter(ControllerConfiguration(name: "phone", faults: phoneFaults))
        accessory = try air.world.addController(
            ControllerConfiguration(
                name: "accessory",
                at: Position(x: meters, y: 0),
                faults: accessoryFaults
            ),
            host: SimpleAccessory(.demo(name: "Demo"))
        )
        air.world.observe { [trace] in trace.add($0) }
    }

    /// The number of packets that have passed, and a digest of their bytes and times.
    var traceDigest: (count: Int, digest: UInt64) {
        trace.contents.withLock { ($0.count, $0.digest) }
    }

    /// Starts the host, runs the body with it and shuts it down. Then every invariant must hold.
    func run<Value: Sendable>(
        bound: Duration = .seconds(120),
        _ body: @escaping @Sendable (BluetoothHost) async throws -> Value
    ) async throws -> Value {
        let value = try await air.run(bound: bound) { [self, air, phone] in
            var configuration = HostConfiguration()
            // The pauses between attempts to connect are random.
            configuration.randomness = SplitMix64(seed: seed)
            configuration.address = DeviceAddress("C0:00:00:00:00:01", kind: .random)
            let host = BluetoothHost(
                transport: phone,
                configuration: configuration,
                executor: air.executor
            )
            try await start(host)
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(host))
            } catch {
                result = .failure(error)
            }
            await host.shutdown()
            return try result.get()
        }
        air.world.finishWatching()
        #expect(air.world.violations.isEmpty, "\(air.world)")
        return value
    }

    /// Starts the host. If the wire's faults make the start fail, waits until the host, which tries
    /// again by itself, is ready.
    private func start(_ host: BluetoothHost) async throws {
        do { return try await host.start() } catch {}
        for await state in host.states where state == .ready { return }
    }

    /// Scans until the demo accessory is discovered.
    static func find(_ host: BluetoothHost) async throws -> Advertisement {
        for try await advertisement in host.scan(for: ScanFilter(name: "Demo")) {
            return advertisement
        }
        throw NothingFound()
    }

    struct NothingFound: Error {}

    /// Finds the accessory, and connects to it.
    static func connect(
        _ host: BluetoothHost,
        options: ConnectOptions = ConnectOptions()
    ) async throws -> Link {
        try await host.connect(to: find(host).address, options: options)
    }
}

/// The packets between hosts and controllers: their number, and an FNV-1a digest of all of them.
private final class TraceRecord: Sendable {
    struct Contents {
        var count = 0
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    }

    let contents = Mutex(Contents())

    func add(_ packet: PassedPacket) {
        let head = "\(packet.controller) \(packet.direction) \(packet.instant.nanoseconds)"
        contents.withLock { contents in
            contents.count += 1
            for byte in Array(head.utf8) + packet.bytes {
                contents.digest = (contents.digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            }
        }
    }
}

/// The attributes of the demo accessory that these tests use.
enum Demo {
    static func uuid(_ number: Int) -> BluetoothUUID {
        let digits = String(number, radix: 16)
        let text = String(repeating: "0", count: 4 - digits.count) + digits
        guard let uuid = BluetoothUUID("4C414E59-4152-4400-A000-00000000" + text) else {
            preconditionFailure("the text is a UUID")
        }
        return uuid
    }

    static let short = uuid(1)
    static let long = uuid(2)
    static let writable = uuid(3)
    static let burst = uuid(4)
    static let control = uuid(6)
    static let heartRate = BluetoothUUID(0x2A37)
}

extension Link {
    /// Returns every characteristic of the peer, by UUID.
    func allCharacteristics() async throws -> [BluetoothUUID: GATT.Characteristic] {
        var found: [BluetoothUUID: GATT.Characteristic] = [:]
        for service in try await discoverServices() {
            for characteristic in try await discoverCharacteristics(of: service) {
                found[characteristic.uuid] = characteristic
            }
        }
        return found
    }
}
