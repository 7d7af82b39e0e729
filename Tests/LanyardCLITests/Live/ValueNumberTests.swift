// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite("The numbers of charts")
struct ValueNumberTests {
    private func numbers(_ hexadecimal: String, _ uuid: BluetoothUUID) throws -> [ValueNumber] {
        ValueNumber.all(in: try #require([UInt8](hexadecimal: hexadecimal)), of: uuid)
    }

    @Test("A value with a type gives the numbers of its text")
    func typed() throws {
        #expect(try numbers("6608", BluetoothUUID(0x2A6E)).map(\.value) == [21.5])
        #expect(try numbers("6608", BluetoothUUID(0x2A6E)).map(\.unit) == ["°C"])
        #expect(try numbers("64", BluetoothUUID(0x2A19)).map(\.value) == [100])
        #expect(try numbers("64", BluetoothUUID(0x2A19)).map(\.unit) == ["%"])
        #expect(try numbers("003C", BluetoothUUID(0x2A37)).first?.value == 60)
    }

    @Test("A value with a layout gives its numeric fields with their units")
    func fields() throws {
        // Elevation: 24 bits in centimeters.
        let elevation = try numbers("E80300", BluetoothUUID(0x2A6C))
        #expect(elevation.map(\.value) == [10])
        #expect(elevation.map(\.unit) == ["m"])
    }

    @Test("A value without a known layout is a number if it has the length of a number, or digits")
    func unknown() throws {
        let vendor = try #require(BluetoothUUID("4C414E59-4152-4400-A000-000000001A01"))
        #expect(try numbers("01", vendor).map(\.value) == [1])
        #expect(try numbers("0102", vendor).map(\.value) == [513])
        #expect(try numbers("32312E35", vendor).map(\.value) == [21.5])
        #expect(try numbers("48656C6C6F", vendor).isEmpty)
        #expect(try numbers("", vendor).isEmpty)
        #expect(ValueNumber.all(in: [UInt8](repeating: 0x39, count: 400), of: vendor).isEmpty)
    }

    @Test("Texts and malformed values have no numbers")
    func texts() throws {
        #expect(ValueNumber.all(in: Array("Model 12".utf8), of: BluetoothUUID(0x2A24)).isEmpty)
        #expect(try numbers("66", BluetoothUUID(0x2A6E)).isEmpty)
    }
}
