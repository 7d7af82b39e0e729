// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Enumerations")
struct EnumerationTests {
    private func expectOpen<Value: RawRepresentable & Sendable>(_ type: Value.Type)
    where Value.RawValue == Int {
        for number in [-1, 99, Int.min, Int.max] {
            #expect(Value(rawValue: number)?.rawValue == number, "\(type)")
        }
    }

    @Test("15.1.1 Every number is a value of an enumeration")
    func open() {
        expectOpen(CBManagerState.self)
        expectOpen(CBManagerAuthorization.self)
        expectOpen(CBConnectionEvent.self)
        expectOpen(CBPeripheralState.self)
        expectOpen(CBCharacteristicWriteType.self)
        expectOpen(CBPeripheralManagerConnectionLatency.self)
        expectOpen(CBError.Code.self)
        expectOpen(CBATTError.Code.self)
        expectOpen(CBChannelSoundingSessionConfiguration.Role.self)
    }

    @Test("15.1.1 A switch over all names still needs a default case")
    func switching() throws {
        let future = try #require(CBManagerState(rawValue: 6))
        let name =
            switch future {
            case .unknown, .resetting, .unsupported, .unauthorized: "below"
            case .poweredOff: "off"
            case .poweredOn: "on"
            @unknown default: "new"
            }
        #expect(name == "new")
    }

    @Test("Option sets combine and keep bits without a name")
    func optionSets() {
        let properties: CBCharacteristicProperties = [.read, .notify]
        #expect(properties.rawValue == 0x12)
        #expect(CBCharacteristicProperties(rawValue: 0x8000).rawValue == 0x8000)
        #expect(CBAttributePermissions([.readable, .writeable]).rawValue == 3)
        #expect(
            CBCentralManager.Feature([.extendedScanAndConnect, .channelSounding]).rawValue == 1025
        )
    }
}
