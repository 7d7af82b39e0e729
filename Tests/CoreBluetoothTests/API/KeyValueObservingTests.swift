// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth
@testable import PlainClient

@Suite("Key-value observation")
struct KeyValueObservingTests {
    @Test("1.9 A manager's state is reported before the delegate is called, on its queue")
    func managerState() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let phone = fixture.central()
            let observation = phone.manager.observe(\.state, options: [.old, .new]) {
                manager,
                change in
                dispatchPrecondition(condition: .onQueue(phone.queue))
                let values = (change.oldValue, change.newValue, manager.state)
                #expect(values == (.unknown, .poweredOn, .poweredOn))
                #expect(change.kind == .setting && change.indexes == nil && !change.isPrior)
                phone.journal.add("observed")
            }
            await phone.journal.wait(for: "state poweredOn")
            #expect(phone.journal.lines == ["observed", "state poweredOn"])
            observation.invalidate()
        }
    }

    @Test("1.9 A scan is reported at once, on the thread that begins or stops it")
    func scanning() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let phone = fixture.central()
            await phone.journal.wait(for: "state poweredOn")
            let values = Mutex<[Bool]>([])
            let observation = phone.manager.observe(\.isScanning, options: .new) {
                manager,
                change in
                values.withLock { $0.append(change.newValue ?? !manager.isScanning) }
            }
            phone.manager.scanForPeripherals(withServices: nil)
            phone.manager.scanForPeripherals(withServices: nil)
            #expect(values.withLock { $0 } == [true])
            phone.manager.stopScan()
            #expect(values.withLock { $0 } == [true, false])
            observation.invalidate()
            observation.invalidate()
            phone.manager.scanForPeripherals(withServices: nil)
            #expect(values.withLock { $0.count } == 2)
        }
    }

    @Test("1.9 Turning Bluetooth off reports the end of a scan and the states of peripherals")
    func poweredOff() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Strap")
            let strap = try phone.discovered("Strap")
            phone.manager.scanForPeripherals(withServices: nil)
            phone.journal.clear()
            let observations = [
                phone.manager.observe(\.isScanning) { manager, _ in
                    phone.journal.add("scanning \(manager.isScanning)")
                },
                strap.observe(\.state) { strap, _ in
                    phone.journal.add("strap \(Misuse.text(strap.state))")
                },
            ]
            fixture.adapter.isPoweredOn = false
            await phone.journal.wait(for: "state poweredOff")
            let observed = phone.journal.lines.filter { !$0.hasPrefix("discovered") }
            #expect(observed == ["scanning false", "strap disconnected", "state poweredOff"])
            for observation in observations { observation.invalidate() }
        }
    }

    @Test("1.9 The state and the services of a peripheral are reported during a connection")
    func peripheral() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = fixture.central()
            await phone.journal.wait(for: "state poweredOn")
            phone.manager.scanForPeripherals(withServices: nil)
            await phone.journal.wait(for: "discovered Strap")
            phone.manager.stopScan()
            let strap = try phone.discovered("Strap")
            phone.journal.clear()
            let observations = [
                strap.observe(\.state, options: [.initial, .new]) { _, change in
                    phone.journal.add("observed \(change.newValue.map(Misuse.text) ?? "nothing")")
                },
                strap.observe(\.services, options: .old) { strap, change in
                    let former = change.oldValue.flatMap(\.self)?.count ?? 0
                    phone.journal.add(
                        "observed \(former) to \(strap.services?.count ?? 0) services"
                    )
                },
            ]
            strap.delegate = phone
            phone.manager.connect(strap)
            await phone.journal.wait(for: "connected Strap")
            strap.discoverServices([CBUUID(string: "180D")])
            await phone.journal.wait(for: "services")
            phone.manager.cancelPeripheralConnection(strap)
            await phone.journal.wait(for: "disconnected")
            #expect(
                phone.journal.lines.filter { $0.hasPrefix("observed") } == [
                    "observed disconnected", "observed connecting", "observed connected",
                    "observed 0 to 1 services", "observed disconnecting", "observed disconnected",
                    "observed 1 to 0 services",
                ]
            )
            for observation in observations { observation.invalidate() }
        }
    }

    @Test("1.9 Advertising of a peripheral manager is reported")
    func advertising() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let options = [CBManagerOptionAdapterKey: fixture.adapter]
            let recorder = PeripheralRecorder(queue: DispatchQueue(label: "app"), options: options)
            await recorder.journal.wait(for: "state poweredOn")
            recorder.journal.clear()
            let observation = recorder.manager.observe(\.isAdvertising) { manager, _ in
                recorder.journal.add("observed \(manager.isAdvertising)")
            }
            recorder.manager.startAdvertising(nil)
            await recorder.journal.wait(for: "observed true")
            recorder.manager.stopAdvertising()
            let observed = recorder.journal.lines.filter { $0.hasPrefix("observed") }
            #expect(observed == ["observed true", "observed false"])
            observation.invalidate()
        }
    }

    @Test("1.9 An observation ends when it is released, and does not retain the manager")
    func release() {
        let options = [CBManagerOptionAdapterKey: "nonsense"]
        // A callback would retain the manager.
        let queue = DispatchQueue(label: "app")
        queue.suspend()
        defer { queue.resume() }
        var manager: CBCentralManager? = CBCentralManager(
            delegate: nil,
            queue: queue,
            options: options
        )
        var observation = manager?.observe(\.isScanning) { _, _ in }
        weak let weakObservation = observation
        weak let weakManager = manager
        #expect(weakObservation != nil)
        observation = nil
        #expect(weakObservation == nil)
        observation = manager?.observe(\.state) { _, _ in }
        manager = nil
        #expect(weakManager == nil)
        observation?.invalidate()
    }

    @Test("1.9 A handler may observe, change and stop observing the manager")
    func reentrance() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let phone = fixture.central()
            await phone.journal.wait(for: "state poweredOn")
            let count = Mutex(0)
            let observation = phone.manager.observe(\.isScanning) { manager, _ in
                count.withLock { $0 += 1 }
                if manager.isScanning { manager.stopScan() }
                _ = manager.observe(\.state, options: .initial) { _, _ in }
            }
            phone.manager.scanForPeripherals(withServices: nil)
            #expect(count.withLock { $0 } == 2)
            observation.invalidate()
        }
    }

    @Test("1.9 A Swift 5 app observes a manager and a peripheral")
    func client() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = fixture.central()
            let journal = Journal()
            let observer = StateObserver { journal.add($0) }
            observer.observe(phone.manager)
            await phone.journal.wait(for: "state poweredOn")
            phone.manager.scanForPeripherals(withServices: nil)
            await phone.journal.wait(for: "discovered Strap")
            observer.observe(try phone.discovered("Strap"))
            phone.manager.stopScan()
            phone.manager.connect(try phone.discovered("Strap"))
            await phone.journal.wait(for: "connected Strap")
            observer.stop()
            #expect(
                journal.lines == [
                    "state 0 0", "state 5 5", "scanning", "not scanning", "0 to 1", "1 to 2",
                ]
            )
        }
    }
}
