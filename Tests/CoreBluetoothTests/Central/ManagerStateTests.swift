// SPDX-License-Identifier: Apache-2.0

import CoreBluetoothEnumerations
import Dispatch
import Foundation
import Testing
import VirtualAccessories
import VirtualRadio

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("The state of Bluetooth")
struct ManagerStateTests {
    @Test("1.1 A new manager is in the state unknown and gets the first state later")
    func begins() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let phone = fixture.central()
            #expect(phone.manager.state == .unknown)
            await phone.journal.wait(for: "state poweredOn")
            #expect(phone.manager.state == .poweredOn)
        }
    }

    @Test("1.2 Without a queue, callbacks are made on the main queue")
    @MainActor
    func mainQueue() async throws {
        let listener = MainListener()
        let manager = CBCentralManager(
            delegate: listener,
            queue: nil,
            options: [CBManagerOptionAdapterKey: "nonsense"]
        )
        await listener.awaitState()
        #expect(manager.state == .unsupported)
    }

    @Test("1.3 A manager does not retain its delegate")
    func weakDelegate() {
        let options = [CBManagerOptionAdapterKey: "nonsense"]
        var delegate: EmptyDelegate? = EmptyDelegate()
        // A callback would retain the delegate.
        let queue = DispatchQueue(label: "app")
        queue.suspend()
        defer { queue.resume() }
        let manager = CBCentralManager(delegate: delegate, queue: queue, options: options)
        #expect(manager.delegate != nil)
        delegate = nil
        #expect(manager.delegate == nil)
    }

    @Test("1.4 Commands before poweredOn are ignored and logged in Apple's words")
    func earlyCommands() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = fixture.central()
            let name = Misuse.name(phone.manager)
            let lines = await Misuse.lines(about: name) {
                phone.manager.scanForPeripherals(withServices: nil)
                phone.manager.stopScan()
                phone.manager.registerForConnectionEvents()
                #expect(phone.manager.retrievePeripherals(withIdentifiers: [UUID()]).isEmpty)
            }
            let line =
                "API MISUSE: \(name) can only accept this command while in the powered on state"
            #expect(lines == [line, line, line, line])
            #expect(!phone.manager.isScanning)
        }
    }

    @Test("1.6, 1.7 Turning Bluetooth off ends scans and links, and only the state reports it")
    func switchedOff() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Strap")
            phone.manager.scanForPeripherals(withServices: nil)
            fixture.adapter.isPoweredOn = false
            await phone.journal.wait(for: "state poweredOff")
            let strap = try phone.discovered("Strap")
            #expect(!phone.manager.isScanning)
            #expect(strap.state == .disconnected)
            fixture.adapter.isPoweredOn = true
            await phone.journal.wait(for: "state poweredOn", count: 2)
            phone.manager.connect(strap)
            await phone.journal.wait(for: "connected Strap", count: 2)
            #expect(phone.disconnections.isEmpty)
        }
    }

    @Test("1.6, 1.8 A reset is reported and invalidates the peripherals discovered before it")
    func reset() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Strap")
            let former = try phone.discovered("Strap")
            var faults = FaultPlan()
            faults.restart = fixture.air.now + .milliseconds(10)
            fixture.air.world.setFaults(faults, of: fixture.phone)
            await phone.journal.wait(for: "state resetting")
            await phone.journal.wait(for: "state poweredOn", count: 2)
            #expect(phone.disconnections.isEmpty)
            let identifier = former.identifier.uuidString
            let lines = await Misuse.lines(about: identifier) { phone.manager.connect(former) }
            #expect(lines.count == 1)
            #expect(former.state == .disconnected)
            let found = phone.manager.retrievePeripherals(withIdentifiers: [former.identifier])
            #expect(found.count == 1)
            #expect(found.first !== former)
        }
    }

    @Test("1.11 A manager does not accept a peripheral of another manager")
    func foreignPeripheral() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let one = await fixture.phone(finding: "Strap")
            let other = fixture.central()
            await other.journal.wait(for: "state poweredOn")
            let strap = try one.discovered("Strap")
            let lines = await Misuse.lines(about: Misuse.name(other.manager)) {
                other.manager.connect(strap)
                other.manager.cancelPeripheralConnection(strap)
            }
            #expect(lines.count == 2)
            #expect(strap.state == .disconnected)
            let own = other.manager.retrievePeripherals(withIdentifiers: [strap.identifier])
            #expect(own.first !== strap)
        }
    }

    @Test("2.1 A manager of a program that may not use Bluetooth is unauthorized")
    func unauthorized() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            #expect(CBManager.authorization == .allowedAlways)
            fixture.adapter.authorization = .denied
            let phone = fixture.central()
            await phone.journal.wait(for: "state unauthorized")
            fixture.adapter.authorization = .allowedAlways
            await phone.journal.wait(for: "state poweredOn")
        }
    }

    @Test("A manager that is released in its own callback gets no more callbacks")
    func goneWithinCallback() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = fixture.central()
            phone.react { line, phone in
                if line.hasPrefix("state") { phone.dropManager() }
            }
            await phone.journal.wait(for: "state poweredOn")
            fixture.adapter.isPoweredOn = false
            let other = fixture.central()
            await other.journal.wait(for: "state poweredOff")
            #expect(phone.journal.lines == ["state poweredOn"])
        }
    }
}

/// A delegate that receives the first state on the main queue.
@MainActor
private final class MainListener: NSObject, @MainActor CBCentralManagerDelegate {
    private let (states, updates) = AsyncStream.makeStream(of: Void.self)

    func awaitState() async {
        for await _ in states { return }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        updates.yield()
    }
}

private final class EmptyDelegate: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}
