// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import LanyardTestSupport
import LanyardTesting
import Observation
import Synchronization
import Testing

@Suite("Virtual time and the app's tasks")
struct JobSteeringTests {
    @Test("Unstructured tasks run in the order of their creation")
    func unstructuredTasks() async throws {
        for seed in RunSeed.seeds(20) {
            let world = TestWorld(seed: seed)
            let log = EventLog(world)
            try await world.run {
                for number in 1...10 {
                    Task {
                        log.note("begins \(number)")
                        await Task.yield()
                        log.note("ends \(number)")
                    }
                }
                try await world.advance(by: .seconds(1))
                log.note("a second later")
            }
            let begins = (1...10).map { "0.0 begins \($0)" }
            let ends = (1...10).map { "0.0 ends \($0)" }
            #expect(log.lines == begins + ends + ["1.0 a second later"])
        }
    }

    @Test("Virtual time waits for actors, the main actor and detached tasks")
    func actors() async throws {
        for seed in RunSeed.seeds(20) {
            let world = TestWorld(seed: seed)
            let log = EventLog(world)
            try await world.run {
                let model = await Model(log)
                for step in 1...3 {
                    Task.detached { await model.step(step) }
                    try await world.advance(by: .seconds(1))
                }
            }
            #expect(
                log.lines == [
                    "0.0 model 1", "0.0 counter 1", "0.0 shown 1",
                    "1.0 model 2", "1.0 counter 2", "1.0 shown 2",
                    "2.0 model 3", "2.0 counter 3", "2.0 shown 3",
                ]
            )
        }
    }

    @Test("Runs of an app with the same seed are identical", arguments: [1, 9])
    func sameSeed(seed: UInt64) async throws {
        var logs: Set<[String]> = []
        for _ in 1...30 { logs.insert(try await Self.log(seed)) }
        #expect(logs.count == 1, "\(logs.first ?? [])\n\(logs.dropFirst().first ?? [])")
        #expect(logs.first?.contains { $0.contains("connected") } == true)
    }

    private static func log(_ seed: UInt64) async throws -> [String] {
        let world = TestWorld(seed: seed)
        let strap = world.add(
            VirtualAccessory(
                "Strap",
                services: [
                    VirtualService(
                        "180D",
                        [
                            .notifying("2A37", every: .seconds(1)) { [0x06, UInt8(60 + $0 % 40)] },
                            .readable("2A38", [1]),
                        ]
                    ),
                    .battery(80, losing: 1, every: .seconds(7)),
                ]
            )
        )
        let log = EventLog(world)
        let phone = world.phone
        try await world.run {
            let app = await App(log, phone)
            try await world.advance(by: .seconds(10))
            strap.walk(to: .outOfRange, over: .seconds(3))
            try await world.advance(by: .seconds(30))
            strap.comeBack()
            try await world.advance(by: .seconds(10))
            await app.end()
        }
        return log.lines
    }

    @Test("Several concurrent worlds do not affect each other")
    func parallel() async throws {
        let alone = try await Self.log(5)
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 1...8 { group.addTask { try await Self.log(5) } }
            for try await log in group { #expect(log == alone) }
        }
    }
}

/// The recorded events, with their times in the world.
private final class EventLog: Sendable {
    private let world: TestWorld
    private let notes = Mutex<[String]>([])

    init(_ world: TestWorld) { self.world = world }

    var lines: [String] { notes.withLock { $0 } }

    func note(_ line: String) {
        let seconds =
            Double(world.now.components.attoseconds) / 1e18
            + Double(world.now.components.seconds)
        notes.withLock { $0.append("\(seconds) \(line)") }
    }
}

private actor Counter {
    private var count = 0
    private let log: EventLog

    init(_ log: EventLog) { self.log = log }

    func increment() async -> Int {
        await Task.yield()
        count += 1
        log.note("counter \(count)")
        return count
    }
}

@MainActor @Observable
private final class Model {
    private(set) var shown = 0
    private let log: EventLog
    private let counter: Counter

    init(_ log: EventLog) {
        self.log = log
        counter = Counter(log)
    }

    func step(_ number: Int) async {
        log.note("model \(number)")
        await Task { shown = await counter.increment() }.value
        log.note("shown \(shown)")
    }
}

/// An app on the main queue, with tasks.
@MainActor
private final class App: NSObject, @preconcurrency CBCentralManagerDelegate,
    @preconcurrency CBPeripheralDelegate
{
    private let log: EventLog
    private let counter: Counter
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?

    init(_ log: EventLog, _ phone: TestPhone) {
        self.log = log
        counter = Counter(log)
        super.init()
        manager = CBCentralManager(
            delegate: self,
            queue: nil,
            options: [CBManagerOptionAdapterKey: phone.adapter]
        )
    }

    func end() { manager = nil }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        self.peripheral = peripheral
        peripheral.delegate = self
        Task {
            _ = await counter.increment()
            log.note("connecting")
            manager?.stopScan()
            manager?.connect(peripheral)
        }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        log.note("connected")
        Task.detached { [counter] in
            _ = await counter.increment()
            Task { @MainActor in self.peripheral?.discoverServices(nil) }
        }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        log.note("disconnected")
        Task {
            _ = await counter.increment()
            manager?.connect(peripheral)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        log.note("services \(peripheral.services?.count ?? 0)")
        for service in peripheral.services ?? [] {
            Task { peripheral.discoverCharacteristics(nil, for: service) }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        let found = service.characteristics ?? []
        log.note("characteristics \(found.count)")
        for one in found where one.properties.contains(.notify) {
            peripheral.setNotifyValue(true, for: one)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let value = [UInt8](characteristic.value ?? Data())
        Task { log.note("value \(value) \(await counter.increment())") }
    }
}
