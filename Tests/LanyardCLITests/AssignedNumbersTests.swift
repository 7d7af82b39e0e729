// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite struct AssignedNumbersTests {
    @Test("Services are named, the SIG's, its members' and well-known others")
    func namesServices() throws {
        #expect(AssignedNumbers.name(ofService: BluetoothUUID(0x180D)) == "Heart Rate")
        #expect(AssignedNumbers.name(ofService: BluetoothUUID(0xFEAA)) == "Eddystone")
        let uart = try #require(BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E"))
        #expect(AssignedNumbers.name(ofService: uart) == "Nordic UART")
        #expect(AssignedNumbers.name(ofService: BluetoothUUID(0x0001)) == nil)
        #expect(AssignedNumbers.name(ofService: BluetoothUUID(short32: 0x1_180D)) == nil)
    }

    @Test(
        "Characteristics are named",
        arguments: [
            (0x2A00, "Device Name"), (0x2A19, "Battery Level"), (0x2A37, "Heart Rate Measurement"),
            (0x2B29, "Client Supported Features"), (0x2BED, "Battery Level Status"),
        ] as [(UInt16, String)]
    )
    func namesCharacteristics(number: UInt16, name: String) {
        #expect(AssignedNumbers.name(ofCharacteristic: BluetoothUUID(number)) == name)
    }

    @Test("Descriptors, companies and appearances are named")
    func namesTheRest() {
        let configuration = BluetoothUUID(0x2902)
        let name = AssignedNumbers.name(ofDescriptor: configuration)
        #expect(name == "Client Characteristic Configuration")
        #expect(AssignedNumbers.name(ofCompany: 0x0059) == "Nordic Semiconductor ASA")
        #expect(AssignedNumbers.name(ofCompany: 0xABCD) == nil)
        #expect(AssignedNumbers.name(ofAppearance: 0x0341) == "Heart rate belt")
        #expect(AssignedNumbers.name(ofAppearance: 0x037F) == "Heart rate sensor")
        #expect(AssignedNumbers.name(ofAppearance: 0xFFC0) == nil)
    }

    @Test(
        "A characteristic is found by its name however it is spelt",
        arguments: ["Battery Level", "battery-level", "battery_level", "BATTERYLEVEL"]
    )
    func findsByName(text: String) {
        #expect(AssignedNumbers.characteristic(named: text) == BluetoothUUID(0x2A19))
    }

    @Test("What is no name finds nothing")
    func findsNothing() {
        #expect(AssignedNumbers.characteristic(named: "battery") == nil)
        #expect(AssignedNumbers.characteristic(named: "") == nil)
    }

    @Test("No name has anything in it that must not be printed")
    func namesArePrintable() {
        let tables = [
            AssignedNumbers.serviceNames, AssignedNumbers.memberServiceNames,
            AssignedNumbers.characteristicNames, AssignedNumbers.laterCharacteristicNames,
            AssignedNumbers.descriptorNames, AssignedNumbers.companyNames,
            AssignedNumbers.appearanceNames, AssignedNumbers.appearanceCategoryNames,
        ]
        for name in tables.flatMap(\.values) {
            #expect(!name.isEmpty && TerminalText.escape(name) == name)
        }
    }
}
