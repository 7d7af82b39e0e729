// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import CoreBluetooth
import Foundation
import Testing
import VirtualAccessories
import VirtualRadio

struct ScanningTests {
    private static var heartRate: CBUUID { CBUUID(string: "180D") }
    private static var everyPacket: [String: Any] {
        [CBCentralManagerScanOptionAllowDuplicatesKey: true]
    }

    @Test(
        "3.1, 3.3 A list finds peripherals with its services, and nil or an empty list finds all",
        arguments: [true, false]
    )
    func services(isEmpty: Bool) async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"), .landmark(name: "Landmark"))
        try await fixture.run {
            let recorder = DiscoveryRecorder(on: fixture.adapter)
            await recorder.scan(
                [Self.heartRate, CBUUID(string: "1234")],
                options: Self.everyPacket
            )
            await recorder.journal.wait(for: "seen Strap", count: 20)
            #expect(recorder.count("Landmark") == 0)
            recorder.manager.scanForPeripherals(withServices: isEmpty ? [] : nil)
            await recorder.journal.wait(for: "seen Landmark")
            #expect(recorder.manager.isScanning)
        }
    }

    @Test("3.4, 3.5, 3.9 Peripherals are reported once or for each packet, and again after a stop")
    func duplicates() async throws {
        let fixture = try Fixture(.demo(name: "Demo"))
        try await fixture.run {
            let recorder = DiscoveryRecorder(on: fixture.adapter)
            await recorder.scan()
            await recorder.journal.wait(for: "seen Demo")
            try await fixture.air.sleep(for: .seconds(5))
            // At most once more, for the scan response.
            let once = recorder.count("Demo")
            #expect(once <= 2)
            recorder.manager.stopScan()
            #expect(!recorder.manager.isScanning)
            recorder.manager.scanForPeripherals(withServices: nil)
            await recorder.journal.wait(for: "seen Demo", count: once + 1)
            recorder.manager.scanForPeripherals(withServices: nil, options: Self.everyPacket)
            await recorder.journal.wait(for: "seen Demo", count: once + 50)
            recorder.manager.stopScan()
            let reported = recorder.journal.lines.count
            try await fixture.air.sleep(for: .seconds(5))
            #expect(recorder.journal.lines.count <= reported + 1)
        }
    }

    @Test("3.6, 3.7, 3.10, 3.11, 3.13 Advertisement data has Apple's keys and types, and no more")
    func dictionary() async throws {
        let fixture = try Fixture(.demo(name: "Demo"))
        try await fixture.run {
            let recorder = DiscoveryRecorder(on: fixture.adapter)
            await recorder.scan(options: Self.everyPacket)
            await recorder.journal.wait(for: "seen Demo", count: 10)
            let match = try #require(recorder.matches.last)
            let data = match.data
            #expect(data[CBAdvertisementDataLocalNameKey] as? String == "Demo")
            let maker = try #require(data[CBAdvertisementDataManufacturerDataKey] as? Data)
            #expect(maker == Data([0xFF, 0xFF] + Array("Lanyard".utf8)))
            let services = try #require(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID])
            #expect(services.map(\.uuidString) == ["180F", "180D", "180A"])
            #expect(services.allSatisfy { $0.data.count == 2 })
            #expect(data[CBAdvertisementDataIsConnectable] as? NSNumber == 1)
            let undocumented = [
                "kCBAdvDataTimestamp", "kCBAdvDataRxPrimaryPHY", "kCBAdvDataRxSecondaryPHY",
            ]
            for key in undocumented { #expect(data[key] is NSNumber) }
            let documented = [
                CBAdvertisementDataLocalNameKey, CBAdvertisementDataManufacturerDataKey,
                CBAdvertisementDataServiceUUIDsKey, CBAdvertisementDataIsConnectable,
                CBAdvertisementDataTxPowerLevelKey,
            ]
            #expect(Set(data.keys).isSubset(of: undocumented + documented))
            #expect((-127...20).contains(match.rssi.intValue))
        }
    }

    @Test("3.10 Service data and beacons that are not connectable are reported")
    func serviceData() async throws {
        let fixture = try Fixture()
        try fixture.addBeacon(.eddystoneURL("https://example.com", power: -20), at: 1)
        try await fixture.run {
            let recorder = DiscoveryRecorder(on: fixture.adapter)
            await recorder.scan()
            await recorder.journal.wait(for: "seen unnamed")
            let data = try #require(recorder.matches.first?.data)
            let values = try #require(
                data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data]
            )
            let frame = try #require(values[CBUUID(string: "FEAA")])
            #expect(frame.prefix(2) == Data([0x10, UInt8(bitPattern: -20)]))
            #expect(data[CBAdvertisementDataIsConnectable] as? NSNumber == 0)
            #expect(data[CBAdvertisementDataLocalNameKey] == nil)
        }
    }

    @Test("3.12 iBeacons are hidden")
    func iBeacons() async throws {
        let fixture = try Fixture()
        let uuid = try #require(BluetoothUUID("4C414E59-4152-4400-A000-000000000099"))
        try fixture.addBeacon(.iBeacon(uuid: uuid, major: 1, minor: 2, power: -59), at: 1)
        try fixture.addBeacon(.name("Lighthouse"), at: 2)
        try await fixture.run {
            let recorder = DiscoveryRecorder(on: fixture.adapter)
            await recorder.scan(options: Self.everyPacket)
            await recorder.journal.wait(for: "seen Lighthouse", count: 20)
            #expect(recorder.count("unnamed") == 0)
        }
    }

    @Test("3.14 Extended advertisements are discovered like others")
    func extended() async throws {
        let fixture = try Fixture()
        try fixture.addBeacon(.name("Lighthouse"), at: 1, isExtended: true)
        try await fixture.run {
            let recorder = DiscoveryRecorder(on: fixture.adapter)
            await recorder.scan()
            await recorder.journal.wait(for: "seen Lighthouse")
            #expect(recorder.first("Lighthouse")?.data[CBAdvertisementDataLocalNameKey] != nil)
        }
    }
}

extension Fixture {
    /// Adds a beacon at a distance in meters.
    func addBeacon(_ message: BeaconMessage, at distance: Double, isExtended: Bool = false) throws {
        try air.world.addController(
            ControllerConfiguration(
                name: "beacon \(distance)",
                at: Position(x: distance, y: 0)
            ),
            host: Beacon(message, isExtended: isExtended)
        )
    }
}
