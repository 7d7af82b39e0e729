// SPDX-License-Identifier: Apache-2.0

import CoreBluetoothEnumerations
import Dispatch
import Foundation
import Testing
import VirtualAccessories

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Reconnecting")
struct ReconnectingTests {
    private static let option = [CBConnectPeripheralOptionEnableAutoReconnect: true]

    @Test("5.1.1, 5.1.2 A lost peripheral is connected again, and is connecting meanwhile")
    func reconnects() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Strap", options: Self.option)
            let strap = try phone.discovered("Strap")
            strap.discoverServices(nil)
            await phone.journal.wait(for: "services")
            phone.react { line, phone in
                guard line.hasPrefix("disconnected") else { return }
                let state = phone["Strap"]?.state
                phone.journal.add(state == .connecting ? "connecting" : "not connecting")
            }
            fixture.air.world.switchOff(fixture.accessories[0])
            await phone.journal.wait(for: "disconnected Strap CBError 6 reconnecting")
            await phone.journal.wait(for: "connecting")
            #expect(strap.services != nil)
            fixture.air.world.switchOn(fixture.accessories[0])
            await phone.journal.wait(for: "connected Strap", count: 2)
            #expect(strap.state == .connected)
        }
    }

    @Test("5.1.3 Canceling stops reconnecting, and reports a disconnection without an error")
    func cancel() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Strap", options: Self.option)
            let strap = try phone.discovered("Strap")
            fixture.air.world.switchOff(fixture.accessories[0])
            await phone.journal.wait(for: "disconnected Strap CBError 6 reconnecting")
            phone.manager.cancelPeripheralConnection(strap)
            await phone.journal.wait { $0.last == "disconnected Strap ok" }
            #expect(strap.state == .disconnected)
            fixture.air.world.switchOn(fixture.accessories[0])
            try await fixture.air.sleep(for: .seconds(5))
            #expect(strap.state == .disconnected)
        }
    }

    @Test("5.1.4 A delegate with both methods gets only the older one, and no link reconnects")
    func bothMethods() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = await fixture.phone(finding: "Strap")
            let identifier = try phone.discovered("Strap").identifier
            let both = BothMethods(options: [CBManagerOptionAdapterKey: fixture.adapter])
            await both.journal.wait(for: "on")
            let strap = try #require(
                both.manager.retrievePeripherals(withIdentifiers: [identifier]).first
            )
            both.manager.connect(strap, options: Self.option)
            await both.journal.wait(for: "connected")
            fixture.air.world.switchOff(fixture.accessories[0])
            await both.journal.wait(for: "older")
            fixture.air.world.switchOn(fixture.accessories[0])
            try await fixture.air.sleep(for: .seconds(10))
            #expect(both.journal.lines == ["on", "connected", "older disconnected"])
            #expect(strap.state == .disconnected)
            #expect(strap.services == nil)
        }
    }

    @Test("5.1.5 Without the option, a lost peripheral stays disconnected")
    func withoutOption() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Strap")
            fixture.air.world.switchOff(fixture.accessories[0])
            await phone.journal.wait(for: "disconnected Strap CBError 6")
            fixture.air.world.switchOn(fixture.accessories[0])
            try await fixture.air.sleep(for: .seconds(10))
            #expect(phone.disconnections == ["disconnected Strap CBError 6"])
            #expect(try phone.discovered("Strap").state == .disconnected)
        }
    }
}

/// An app whose delegate has both methods.
private final class BothMethods: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    // Unchecked: set once, and used on any thread, as a manager may be.
    let journal = Journal()
    // Made after `super.init()`, because its delegate is this object.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private(set) var manager: CBCentralManager!

    init(options: [String: Any]) {
        super.init()
        let queue = DispatchQueue(label: "both")
        manager = CBCentralManager(delegate: self, queue: queue, options: options)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { journal.add("on") }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        journal.add("connected")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        journal.add("older \(Misuse.text(peripheral.state))")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {
        journal.add("newer")
    }
}
