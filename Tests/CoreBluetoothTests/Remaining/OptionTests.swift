// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import VirtualAccessories
import VirtualRadio

@testable import BluetoothClients
@testable import CoreBluetooth

struct OptionTests {
    private static var service: CBUUID { CBUUID(string: "180D") }

    @Test(
        "1.10, 2.5 Options without a counterpart on Linux are accepted",
        arguments: [
            CBCentralManagerOptionShowPowerAlertKey, CBCentralManagerOptionDeviceAccessForMedia,
        ],
        [true, false]
    )
    func managers(key: String, value: Bool) async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let recorder = DiscoveryRecorder(on: fixture.adapter, options: [key: value])
            await recorder.journal.wait(for: "poweredOn")
        }
    }

    @Test("1.10, 3.4, 5.1.1 The value of an option may be a number")
    func numbers() {
        let options: [String: Any] = [
            "true": true, "one": 1, "object": NSNumber(value: true), "many": NSNumber(value: 2),
            "false": false, "zero": 0, "text": "yes",
        ]
        for key in ["true", "one", "object", "many"] { #expect(options.flag(key) == true) }
        for key in ["false", "zero"] { #expect(options.flag(key) == false) }
        for key in ["text", "missing"] { #expect(options.flag(key) == nil) }
        let duplicates = RequestedScan(nil, [CBCentralManagerScanOptionAllowDuplicatesKey: 1])
        #expect(duplicates.allowsDuplicates == true)
        #expect(ManagerOptions([CBManagerOptionBackgroundRulesKey: 1]).hasBackgroundRules)
    }

    @Test(
        "5.10 Options for alerts are accepted",
        arguments: [
            CBConnectPeripheralOptionNotifyOnConnectionKey,
            CBConnectPeripheralOptionNotifyOnDisconnectionKey,
            CBConnectPeripheralOptionNotifyOnNotificationKey,
        ]
    )
    func alerts(key: String) async throws {
        try await withStrap { fixture, recorder, strap in
            recorder.manager.connect(strap, options: [key: true])
            await recorder.journal.wait(for: "connected")
        }
    }

    @Test(
        "14.3, 14.4 Options for the classic transport and ANCS do not authorize ANCS",
        arguments: [
            CBConnectPeripheralOptionEnableTransportBridgingKey,
            CBConnectPeripheralOptionRequiresANCS,
        ]
    )
    func appleOnly(key: String) async throws {
        try await withStrap { fixture, recorder, strap in
            recorder.manager.connect(strap, options: [key: true])
            await recorder.journal.wait(for: "connected")
            #expect(!strap.ancsAuthorized)
        }
    }

    @Test(
        "2.3, 14.1 With background rules, a scan needs services and ignores allowing duplicates"
    )
    func background() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let recorder = DiscoveryRecorder(
                on: fixture.adapter,
                options: [CBManagerOptionBackgroundRulesKey: true]
            )
            let everyPacket = [CBCentralManagerScanOptionAllowDuplicatesKey: true]
            await recorder.scan(options: everyPacket)
            try await fixture.air.sleep(for: .seconds(10))
            #expect(recorder.matches.isEmpty)
            recorder.manager.scanForPeripherals(
                withServices: [Self.service],
                options: everyPacket
            )
            await recorder.journal.wait(for: "seen Strap")
            try await fixture.air.sleep(for: .seconds(10))
            #expect(recorder.count("Strap") <= 2)
        }
    }

    @Test("2.4 The older authorization query of a peripheral manager returns the same value")
    func olderQuery() {
        #expect(CBPeripheralManager.answer == CBPeripheralManager.authorization.rawValue)
    }

    @Test("5.1.1, 5.1.2, 5.1.3 A lost peripheral is connecting until it returns or is canceled")
    func reconnecting() async throws {
        try await withStrap { fixture, recorder, strap in
            recorder.manager.connect(
                strap,
                options: [CBConnectPeripheralOptionEnableAutoReconnect: true]
            )
            await recorder.journal.wait(for: "connected")
            for number in 1...2 {
                fixture.air.world.move(fixture.phone, to: Position(x: 2_000, y: 0))
                await recorder.journal.wait(for: "disconnected 6 reconnecting", count: number)
                #expect(strap.state == .connecting)
                guard number == 1 else { break }
                fixture.air.world.move(fixture.phone, to: Position(x: 0, y: 0))
                await recorder.journal.wait(for: "connected", count: 2)
                #expect(strap.state == .connected)
            }
            recorder.manager.cancelPeripheralConnection(strap)
            await recorder.journal.wait(for: "disconnected ok")
            #expect(recorder.journal.lines.last == "disconnected ok")
            #expect(strap.state == .disconnected)
        }
    }

    @Test("5.2.1, 5.4 A manager that cancels gets no error")
    func cancelling() async throws {
        try await withStrap { fixture, recorder, strap in
            recorder.manager.connect(strap)
            await recorder.journal.wait(for: "connected")
            recorder.manager.cancelPeripheralConnection(strap)
            #expect(strap.state == .disconnecting)
            await recorder.journal.wait(for: "disconnected ok")
        }
    }

    @Test("1.12 Classes can be subclassed")
    func subclass() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let manager = Subclass(
                delegate: nil,
                queue: nil,
                options: [CBManagerOptionAdapterKey: fixture.adapter]
            )
            #expect(manager.state == .unknown)
            #expect(manager.isSpecial)
        }
    }

    private func withStrap(
        _ body: @escaping @Sendable (Fixture, DiscoveryRecorder, CBPeripheral) async throws -> Void
    ) async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let recorder = DiscoveryRecorder(on: fixture.adapter)
            await recorder.scan([Self.service])
            await recorder.journal.wait(for: "seen Strap")
            recorder.manager.stopScan()
            try await body(fixture, recorder, try #require(recorder.first("Strap")).peripheral)
        }
    }
}

private final class Subclass: CBCentralManager {
    var isSpecial: Bool { true }
}

/// A protocol whose requirement is a deprecated method. A call through the protocol causes no
/// warning.
private protocol OlderQuery {
    associatedtype Status: RawRepresentable<Int>
    static func authorizationStatus() -> Status
}

extension OlderQuery {
    static var answer: Int { authorizationStatus().rawValue }
}

extension CBPeripheralManager: OlderQuery {}
