// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import CoreBluetoothEnumerations
import Foundation
import Synchronization
import Testing
import VirtualAccessories
import VirtualRadio

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Scanning")
struct ScanTests {
    @Test("3.1 A list finds peripherals with its services, and nil or an empty list finds all")
    func filters() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"), .thermometer(name: "Thermometer"))
        try await fixture.run {
            for services in [nil, []] as [[CBUUID]?] {
                let listener = try await fixture.listener(scanningFor: services)
                await listener.journal.wait(for: "seen Strap")
                await listener.journal.wait(for: "seen Thermometer")
                listener.manager.stopScan()
            }
            let listener = try await fixture.listener(scanningFor: [CBUUID(string: "180D")])
            await listener.journal.wait(for: "seen Strap")
            try await fixture.air.sleep(for: .seconds(2))
            #expect(!listener.journal.lines.contains("seen Thermometer"))
        }
    }

    @Test("3.2, 3.10 Scans match solicited services and the overflow area")
    func solicitedAndOverflow() async throws {
        let fixture = try Fixture()
        try fixture.addBeacon([0x03, 0x14, 0x0D, 0x18])
        let area = try #require(OverflowArea.data(of: [BluetoothUUID(0x1809)]))
        try fixture.addBeacon(area)
        try await fixture.run {
            let listener = try await fixture.listener(
                scanningFor: [CBUUID(string: "1809")],
                options: [
                    CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "180D")]
                ]
            )
            await listener.journal.wait(for: "seen", count: 2)
            let data = listener.data
            let solicited = data.compactMap {
                $0[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID]
            }
            #expect(solicited == [[CBUUID(string: "180D")]])
            let overflow = data.compactMap {
                $0[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID]
            }
            #expect(overflow == [[CBUUID(string: "1809")]])
            #expect(data.allSatisfy { $0[CBAdvertisementDataManufacturerDataKey] == nil })
        }
    }

    @Test("3.3 A scan beyond the host's limit starts when another one stops")
    func waitingScan() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            var listeners: [StateListener] = []
            for _ in 0...HostCore.scanLimit {
                listeners.append(try await fixture.listener(scanningFor: nil))
            }
            for listener in listeners.dropLast() { await listener.journal.wait(for: "seen Strap") }
            let last = try #require(listeners.last)
            #expect(last.manager.isScanning)
            #expect(last.data.isEmpty)
            listeners[0].manager.stopScan()
            await last.journal.wait(for: "seen Strap")
        }
    }

    @Test("3.3 A second scan replaces the first")
    func replace() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"), .thermometer(name: "Thermometer"))
        try await fixture.run {
            let listener = try await fixture.listener(scanningFor: [CBUUID(string: "180D")])
            await listener.journal.wait(for: "seen Strap")
            listener.journal.clear()
            listener.manager.scanForPeripherals(withServices: [CBUUID(string: "181A")])
            await listener.journal.wait(for: "seen Thermometer")
            try await fixture.air.sleep(for: .seconds(2))
            #expect(!listener.journal.lines.contains("seen Strap"))
        }
    }

    @Test("3.4, 3.9 Discoveries are merged until the scan stops, unless duplicates are allowed")
    func duplicates() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let listener = try await fixture.listener(scanningFor: nil)
            try await fixture.air.sleep(for: .seconds(5))
            let merged = listener.journal.lines.count { $0 == "seen Strap" }
            #expect((1...2).contains(merged))
            listener.manager.stopScan()
            #expect(!listener.manager.isScanning)
            listener.journal.clear()
            try await fixture.air.sleep(for: .seconds(2))
            #expect(listener.journal.lines.isEmpty)
            listener.manager.scanForPeripherals(withServices: nil)
            await listener.journal.wait(for: "seen Strap")
            listener.manager.scanForPeripherals(
                withServices: nil,
                options: [CBCentralManagerScanOptionAllowDuplicatesKey: true]
            )
            await listener.journal.wait(for: "seen Strap", count: 20)
        }
    }

    @Test("3.5, 3.6, 3.7 The scan response adds to the advertisement data")
    func scanResponse() async throws {
        var profile = SimpleAccessoryProfile.heartRate(name: "Strap")
        profile.manufacturerData = .init(company: 0x0102, bytes: [3, 4])
        let fixture = try Fixture(profile)
        try await fixture.run {
            let listener = try await fixture.listener(scanningFor: [CBUUID(string: "180D")])
            await listener.journal.wait(for: "seen Strap", count: 2)
            let data = listener.data
            #expect(data[0][CBAdvertisementDataManufacturerDataKey] == nil)
            let bytes = data[1][CBAdvertisementDataManufacturerDataKey] as? Data
            #expect(bytes == Data([0x02, 0x01, 3, 4]))
            #expect(data[1][CBAdvertisementDataLocalNameKey] as? String == "Strap")
            #expect(listener.strengths.allSatisfy { $0.intValue < 0 && $0.intValue > -100 })
        }
    }

    @Test("3.12 iBeacon frames are hidden")
    func beacons() async throws {
        let fixture = try Fixture()
        let uuid = try #require(BluetoothUUID("11111111-2222-3333-4444-555555555555"))
        try fixture.addBeacon(.iBeacon(uuid: uuid, major: 1, minor: 2, power: -59))
        try fixture.addBeacon(.name("Sign"))
        try await fixture.run {
            let listener = try await fixture.listener(scanningFor: nil)
            await listener.journal.wait(for: "seen Sign")
            try await fixture.air.sleep(for: .seconds(2))
            #expect(listener.journal.lines == ["on", "seen Sign"])
        }
    }

    @Test("3.14 Extended advertisements are discovered, too")
    func extended() async throws {
        let fixture = try Fixture()
        try fixture.addBeacon(.name("Far"), isExtended: true)
        try await fixture.run {
            let listener = try await fixture.listener(scanningFor: nil)
            await listener.journal.wait(for: "seen Far")
        }
    }

    @Test("14.1 With background rules, a scan for all finds nothing, and duplicates are merged")
    func background() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let listener = try await fixture.listener(
                scanningFor: nil,
                managerOptions: [CBManagerOptionBackgroundRulesKey: true]
            )
            try await fixture.air.sleep(for: .seconds(5))
            #expect(listener.journal.lines == ["on"])
            listener.manager.scanForPeripherals(
                withServices: [CBUUID(string: "180D")],
                options: [CBCentralManagerScanOptionAllowDuplicatesKey: true]
            )
            await listener.journal.wait(for: "seen Strap")
            try await fixture.air.sleep(for: .seconds(10))
            #expect(listener.journal.lines.count { $0 == "seen Strap" } <= 2)
            listener.manager.followsBackgroundRules = false
            await listener.journal.wait(for: "seen Strap", count: 20)
        }
    }

    @Test("14.1 With background rules, the controller scans a tenth of the time")
    func backgroundDuty() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        let windows = ScanWindows()
        fixture.air.world.observe { [phone = fixture.phone] packet in
            if packet.controller == phone { windows.note(packet.bytes) }
        }
        try await fixture.run {
            let listener = try await fixture.listener(
                scanningFor: [CBUUID(string: "180D")],
                managerOptions: [CBManagerOptionBackgroundRulesKey: true]
            )
            await listener.journal.wait(for: "seen Strap")
            #expect(windows.last == ScanWindows.Entry(interval: 960, window: 96))
            listener.manager.followsBackgroundRules = false
            await listener.journal.wait(for: "seen Strap", count: 2)
            #expect(windows.last == ScanWindows.Entry(interval: 96, window: 96))
            fixture.adapter.followsBackgroundRules = true
            try await fixture.air.sleep(for: .seconds(5))
            #expect(windows.last == ScanWindows.Entry(interval: 960, window: 96))
        }
    }

    @Test("Two managers scan for different services at the same time")
    func twoManagers() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"), .thermometer(name: "Thermometer"))
        try await fixture.run {
            let one = try await fixture.listener(scanningFor: [CBUUID(string: "180D")])
            await one.journal.wait(for: "seen Strap")
            let other = try await fixture.listener(scanningFor: nil)
            await other.journal.wait(for: "seen Thermometer")
            await other.journal.wait(for: "seen Strap")
            #expect(!one.journal.lines.contains("seen Thermometer"))
        }
    }
}

/// The scan intervals and windows that a host has set, in units of 0.625 ms.
private final class ScanWindows: Sendable {
    struct Entry: Equatable {
        let interval: Int
        let window: Int
    }

    private let entries = Mutex([Entry]())

    var last: Entry? { entries.withLock { $0.last } }

    /// Takes the parameters of LE Set Scan Parameters or LE Set Extended Scan Parameters (Vol 4,
    /// Part E, 7.8.10 and 7.8.64).
    func note(_ bytes: [UInt8]) {
        let start: Int
        switch bytes.prefix(3) {
        case [0x01, 0x0B, 0x20]: start = 5
        case [0x01, 0x41, 0x20]: start = 8
        default: return
        }
        guard bytes.count >= start + 4 else { return }
        func number(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
        entries.withLock {
            $0.append(Entry(interval: number(start), window: number(start + 2)))
        }
    }
}

extension Fixture {
    /// Creates a listener on the phone that scans.
    func listener(
        scanningFor services: [CBUUID]?,
        options: [String: Any]? = nil,
        managerOptions: [String: Any] = [:]
    ) async throws -> StateListener {
        var managerOptions = managerOptions
        managerOptions[CBManagerOptionAdapterKey] = adapter
        let listener = StateListener(options: managerOptions)
        await listener.journal.wait(for: "on")
        listener.manager.scanForPeripherals(withServices: services, options: options)
        return listener
    }

    func addBeacon(_ message: BeaconMessage, isExtended: Bool = false) throws {
        try air.world.addController(
            ControllerConfiguration(name: "beacon", at: Position(x: 1, y: 1)),
            host: Beacon(message, isExtended: isExtended)
        )
    }

    /// Adds a beacon that advertises these bytes.
    func addBeacon(_ data: [UInt8]) throws {
        try addBeacon(.data(AdvertisingData(data)))
    }

    /// Adds a beacon that advertises this manufacturer data.
    func addBeacon(_ data: AdvertisingData.ManufacturerData) throws {
        var builder = AdvertisingData.Builder()
        try builder.append(manufacturerData: data)
        try addBeacon(.data(builder.data))
    }
}
