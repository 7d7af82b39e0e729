// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import BluetoothValues
import Testing

@testable import Lanyard
@testable import LanyardCLI

@Suite("Assigned numbers") struct AssignedNumbersTests {
    @Test("Services of the SIG, of its members and of vendors have names")
    func namesServices() throws {
        #expect(AssignedNumbers.name(ofService: BluetoothUUID(0x180D)) == "Heart Rate")
        #expect(AssignedNumbers.name(ofService: BluetoothUUID(0xFEAA)) == "Eddystone")
        let uart = try #require(BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E"))
        #expect(AssignedNumbers.name(ofService: uart) == "Nordic UART")
        #expect(AssignedNumbers.name(ofService: BluetoothUUID(0x0001)) == nil)
        #expect(AssignedNumbers.name(ofService: BluetoothUUID(short32: 0x1_180D)) == nil)
    }

    @Test(
        "Characteristics have names",
        arguments: [
            (0x2A00, "Device Name"), (0x2A19, "Battery Level"), (0x2A37, "Heart Rate Measurement"),
            (0x2B29, "Client Supported Features"), (0x2BED, "Battery Level Status"),
        ] as [(UInt16, String)]
    )
    func namesCharacteristics(number: UInt16, name: String) {
        #expect(AssignedNumbers.name(ofCharacteristic: BluetoothUUID(number)) == name)
    }

    @Test("The names of the library Lanyard are those of the command line")
    func namesOfLanyard() throws {
        for (text, name) in BluetoothID.names {
            let uuid = BluetoothUUID(try #require(UInt16(text, radix: 16)))
            let listed =
                AssignedNumbers.name(ofService: uuid)
                ?? AssignedNumbers.name(ofCharacteristic: uuid)
            #expect(listed == name)
        }
    }

    @Test("Descriptors, companies and appearances have names")
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
        "A characteristic is found by its name in any case and with any separators",
        arguments: ["Battery Level", "battery-level", "battery_level", "BATTERYLEVEL"]
    )
    func findsByName(text: String) {
        #expect(AssignedNumbers.characteristic(named: text) == BluetoothUUID(0x2A19))
    }

    @Test("A part of a name finds no characteristic")
    func findsNothing() {
        #expect(AssignedNumbers.characteristic(named: "battery") == nil)
        #expect(AssignedNumbers.characteristic(named: "") == nil)
    }

    @Test("Each table has as many entries as its file has lines")
    func readsEveryLine() {
        let numbered: [(Substring, Int)] = [
            ("service", AssignedNumbers.serviceNames.count),
            ("member service", AssignedNumbers.memberServiceNames.count),
            ("characteristic", AssignedNumbers.characteristicNames.count),
            ("descriptor", AssignedNumbers.descriptorNames.count),
            ("unit", AssignedNumbers.unitSymbols.count),
            ("company", AssignedNumbers.companyNames.count),
            ("appearance", AssignedNumbers.appearanceNames.count),
            ("appearance category", AssignedNumbers.appearanceCategoryNames.count),
            ("link layer feature", AssignedNumbers.leFeatureNames.count),
            ("vendor", AssignedNumbers.vendorNames.count),
        ]
        let lines = AssignedNumbers.tables.mapValues(\.count)
            .merging(AssignedNumbers.companyTables.mapValues(\.count), uniquingKeysWith: +)
        #expect(lines == Dictionary(uniqueKeysWithValues: numbered))
        print("Assigned numbers:", numbered.map { "\($1) x \($0)" }.joined(separator: ", "))
    }

    @Test("At least 250 characteristics of the SIG are decoded into words")
    func decodesCharacteristics() {
        let decoded = AssignedNumbers.characteristicNames.keys.filter {
            WellKnownValues.knows(characteristic: BluetoothUUID($0))
        }
        print(
            "Values in words: \(decoded.count) of \(AssignedNumbers.characteristicNames.count)",
            "characteristics, \(ValueLayout.characteristics.count) of them by their layout;",
            "\(WellKnownValues.descriptors.count) descriptors"
        )
        #expect(decoded.count >= 250)
        #expect(ValueLayout.characteristics.count >= 250)
    }

    @Test("Thousands of companies and hundreds of their services have names")
    func namesCompanies() {
        #expect(AssignedNumbers.companyNames.count > 3_400)
        #expect(AssignedNumbers.memberServiceNames.count > 650)
        #expect(AssignedNumbers.name(ofCompany: 0x024F) == "Schneider Schreibgeräte GmbH")
        #expect(AssignedNumbers.name(ofService: BluetoothUUID(0xFEFF)) == "GN Netcom")
        #expect(AssignedNumbers.name(ofService: BluetoothUUID(0xFEAA)) == "Eddystone")
    }

    @Test("No name of a service, attribute, company or appearance has an unprintable character")
    func namesArePrintable() {
        let tables = [
            AssignedNumbers.serviceNames, AssignedNumbers.memberServiceNames,
            AssignedNumbers.characteristicNames, AssignedNumbers.descriptorNames,
            AssignedNumbers.companyNames, AssignedNumbers.appearanceNames,
            AssignedNumbers.appearanceCategoryNames,
        ]
        for name in tables.flatMap(\.values) + Array(AssignedNumbers.vendorNames.values) {
            #expect(!name.isEmpty && TerminalText.escape(name) == name)
        }
    }
}
