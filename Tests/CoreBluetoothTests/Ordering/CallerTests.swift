// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import Dispatch
import Foundation
import LanyardTestSupport
import Testing
import VirtualAccessories

/// Many threads use the same managers and peripherals at the same time.
struct CallerTests {
    private static let callerCount = 6
    private static let names = ["One", "Two"]

    /// Each caller has a characteristic of its own. Each of the caller's requests gets one answer,
    /// in the order of the requests, whatever the other callers do.
    @Test(
        "1.2, 7.1, 7.3, 7.11, 7.14 The requests of each of many threads are answered in order",
        arguments: RunSeed.seeds(3)
    )
    func questions(seed: UInt64) async throws {
        let profiles = Self.names.map {
            SimpleAccessoryProfile.slates(name: $0, count: Self.callerCount)
        }
        let fixture = try Fixture(profiles[0], profiles[1], seed: seed)
        try await fixture.run {
            let queue = DispatchQueue(label: "application", attributes: .concurrent)
            let listeners = (0..<2).map { _ in Listener(on: fixture.adapter, queue: queue) }
            for listener in listeners {
                await listener.journal.wait(for: "ready", count: Self.names.count)
            }
            let callers = try Self.callers(of: listeners, seed: seed)
            for listener in listeners {
                listener.expectedAnswerCount =
                    callers.filter { $0.listener === listener }
                    .map(\.expected.count).reduce(0, +)
            }
            DispatchQueue.concurrentPerform(iterations: callers.count) { callers[$0].call() }
            for listener in listeners { await listener.journal.wait(for: "answered") }
            for caller in callers {
                let answers = caller.listener.answers[caller.name]?[caller.characteristic.uuid]
                #expect(answers == caller.expected)
            }
        }
    }

    private static func callers(of listeners: [Listener], seed: UInt64) throws -> [Caller] {
        var random = SplitMix64(seed: seed)
        var callers: [Caller] = []
        for name in names {
            for number in 0..<callerCount {
                let listener = listeners[number % listeners.count]
                let uuid = OrderingUUID.slate(number)
                callers.append(
                    Caller(
                        listener: listener,
                        name: name,
                        peripheral: try #require(listener.peripherals[name]),
                        characteristic: try #require(listener.characteristic(uuid, of: name)),
                        random: &random
                    )
                )
            }
        }
        return callers
    }

    /// Threads connect, cancel, scan and stop at random. In the end, all connections are canceled.
    /// Every link that ended was canceled by the app.
    @Test(
        "1.11, 3.3, 5.4, 5.5 Threads that connect and cancel at the same time leave no links",
        arguments: RunSeed.seeds(3)
    )
    func links(seed: UInt64) async throws {
        let fixture = try Fixture(
            .slates(name: "One", count: 1),
            .slates(name: "Two", count: 1),
            .landmark(name: "Landmark"),
            seed: seed
        )
        try await fixture.run {
            let phones = (0..<2).map { _ in
                fixture.central(queue: DispatchQueue(label: "application", attributes: .concurrent))
            }
            for phone in phones { await Self.discover(with: phone) }
            let seeds = (0..<8).map { seed &* 100 &+ $0 }
            DispatchQueue.concurrentPerform(iterations: seeds.count) { index in
                Self.connectAndCancel(with: phones[index % 2], seed: seeds[index])
            }
            for phone in phones { await Self.cancelAll(phone) }
            for phone in phones { Self.expectNothingLost(phone) }
        }
    }

    private static var services: [CBUUID] { [CBUUID(short: OrderingUUID.service)] }

    private static func discover(with phone: CentralRecorder) async {
        await phone.journal.wait(for: "state poweredOn")
        phone.manager.scanForPeripherals(withServices: services)
        for name in names { await phone.journal.wait(for: "discovered \(name)") }
    }

    private static func connectAndCancel(with phone: CentralRecorder, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<50 {
            guard let peripheral = phone[names[Int(random.next() % 2)]] else { continue }
            switch random.next() % 6 {
            case 0, 1: phone.manager.connect(peripheral)
            case 2, 3: phone.manager.cancelPeripheralConnection(peripheral)
            case 4: phone.manager.scanForPeripherals(withServices: services)
            default: phone.manager.stopScan()
            }
        }
    }

    /// Cancels all connections, and waits for the discovery of the accessory "Landmark", before
    /// which all earlier events arrive. Then waits for the links to end.
    private static func cancelAll(_ phone: CentralRecorder) async {
        for name in names {
            guard let peripheral = phone[name] else { continue }
            phone.manager.cancelPeripheralConnection(peripheral)
        }
        phone.manager.scanForPeripherals(withServices: [CBUUID(short: OrderingUUID.landmark)])
        await phone.journal.wait(for: "discovered Landmark")
        await phone.journal.wait { _ in
            names.allSatisfy { phone[$0]?.state == .disconnected }
        }
    }

    private static func expectNothingLost(_ phone: CentralRecorder) {
        for name in names {
            let ends = phone.journal.lines.filter { $0.hasPrefix("disconnected \(name)") }
            #expect(!ends.isEmpty)
            #expect(ends.allSatisfy { $0 == "disconnected \(name) ok" })
            #expect(!phone.journal.lines.contains { $0.hasPrefix("failed \(name)") })
        }
    }
}

/// The requests of one thread for one characteristic, with the expected answers.
///
/// Unchecked: one thread at a time uses it.
private final class Caller: @unchecked Sendable {
    let listener: Listener
    let name: String
    let peripheral: CBPeripheral
    let characteristic: CBCharacteristic
    private(set) var expected: [String] = []
    private var calls: [(CBPeripheral, CBCharacteristic) -> Void] = []

    init(
        listener: Listener,
        name: String,
        peripheral: CBPeripheral,
        characteristic: CBCharacteristic,
        random: inout SplitMix64
    ) {
        self.listener = listener
        self.name = name
        self.peripheral = peripheral
        self.characteristic = characteristic
        for number in 1...UInt32(20) { plan(number, random.next()) }
    }

    private func plan(_ number: UInt32, _ chance: UInt64) {
        calls.append {
            $0.writeValue(
                Data(SimpleAccessoryProfile.bytes(of: number)),
                for: $1,
                type: .withResponse
            )
        }
        expected.append("wrote")
        for _ in 0..<(chance % 3) {
            calls.append { $0.readValue(for: $1) }
            expected.append("read \(number)")
        }
        guard chance % 4 == 0 else { return }
        for isOn in [true, false] {
            calls.append { $0.setNotifyValue(isOn, for: $1) }
            expected.append(isOn ? "on" : "off")
        }
    }

    func call() {
        for call in calls { call(peripheral, characteristic) }
    }
}
