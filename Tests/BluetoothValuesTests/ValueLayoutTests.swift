// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import BluetoothValues

@Suite("Layouts of values") struct ValueLayoutTests {
    private static func layout(_ digits: String) throws -> ValueLayout {
        let characteristic = try #require(BluetoothID(digits))
        return try #require(ValueLayout(of: characteristic))
    }

    @Test("Every line of the table is valid, and at least 350 characteristics have a layout")
    func readsEveryLine() {
        let table = FieldTable.shared
        let invalid = table.rows.keys.filter { table.fields(of: $0) == nil }
        #expect(invalid.sorted() == [])
        #expect(ValueLayout.characteristics.count == table.rows.count)
        #expect(table.rows.count >= 350)
        #expect(ValueLayout(of: "2A2A") == nil)
        #expect(ValueLayout(of: "4C414E59-4152-4400-A000-000000001A02") == nil)
    }

    @Test(
        "A value is decoded to its fields, and its fields are encoded to the same bytes",
        arguments: [
            ("2A6C", "40e201", "1234.56 m"), ("2A6C", "ffffff", "-0.01 m"),
            ("2A6E", "0080", "not known"), ("2B18", "0703", "12.109375 V"),
            ("2B13", "40", "1.0 s"), ("2B13", "fe", "total life of the device"),
            ("2AB2", "17", "3"), ("2AB3", "e903", "0.1 m"), ("2BD6", "01a0", "0.000001 kg/m³"),
            ("2AF8", "6162630000000000", "\"abc\""), ("2AE8", "0000803f", "1.0"),
            ("2B2A", "000102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f"),
            ("2AC1", "ea070b150c2805", "2026-11-21 12:40:05"),
            ("2BE9", "03", "critical power state, immediate service required"),
            ("2BE9", "00", "none"), ("2B46", "0027 0127", "9984, 9985"),
            (
                "2C1D", "7e 80 7f",
                "Vector X out of range, Vector Y -1.28 g, Vector Z not known"
            ),
            ("2AD2", "0100", "Flags more data"),
            (
                "2AD2", "0400 e803 b400",
                "Instantaneous Speed 10.00 km/h, Instantaneous Cadence 90 rpm"
            ),
            (
                "2A9D", "09 581b e600 d002",
                "Weight 70.00 lb, Body Mass Index 23.0 kg/m², Height 72.0 in"
            ),
            ("2B4D", "02 23", "Field Selector metabolic equivalent, Threshold 3.5 MET"),
            ("2BFF", "06 6100 00", "UDI Device Identifier \"a\", UDI Issuer \"\""),
            (
                "2BED", "02 4302 0c",
                "Power State battery present, Wired Power connected, Wireless Power not connected, "
                    + "Charge State discharging, Charge Level unknown, "
                    + "Charging Type constant current, Battery Level 12 %"
            ),
            (
                "2AA7", "09 81 6400 0500 01 0200",
                "Size 9 B, Glucose Concentration 100 mg/dL, Time Offset 5 min, "
                    + "Status session stopped, Trend 2 mg/dL/min"
            ),
            ("2A47", "03", "Category ID Bit Mask 0 simple alert, email"),
        ] as [(String, String, String)]
    )
    func decodesAndEncodes(digits: String, hex: String, text: String) throws {
        let layout = try Self.layout(digits)
        let values = try layout.decode(Data(hex: hex))
        #expect(layout.describe(values) == text)
        #expect(try layout.encode(values.reversed()) == Data(hex: hex))
    }

    @Test(
        "A reserved number or a value of another length is refused",
        arguments: [
            ("2A19", "65", ValueError.invalid(field: "Battery Level")),
            ("2B4A", "04", .invalid(field: "Handedness")),
            ("2A85", "0100 0101", .invalid(field: "Year")),
            ("2BE3", "07", .invalid(field: "Light Source Type")),
            ("2A87", "ff", .invalid(field: "Email Address")),
            ("2BD6", "0108", .invalid(field: "PM2.5 Concentration")),
            ("2A6C", "0102", .truncated(needed: 3, available: 2)),
            ("2A6C", "01020304", .trailing(count: 1)),
            ("2ABF", "010203", .truncated(needed: 16, available: 3)),
            ("2BFF", "01 61", .truncated(needed: 1, available: 0)),
        ] as [(String, String, ValueError)]
    )
    func refuses(digits: String, hex: String, error: ValueError) throws {
        let layout = try Self.layout(digits)
        #expect(throws: error) { try layout.decode(Data(hex: hex)) }
    }

    @Test("Fields that exclude each other, missing fields and foreign fields are refused")
    func refusesFields() throws {
        let layout = try Self.layout("2A9D")
        let pounds = try layout.decode(Data(hex: "01 581b"))
        let kilograms = try layout.decode(Data(hex: "00 dc37"))
        #expect(throws: ValueError.self) { try layout.encode(pounds + kilograms) }
        #expect(throws: ValueError.self) { try layout.encode([]) }
        let foreign = try Self.layout("2A6C").decode(Data(hex: "000000"))
        #expect(throws: ValueError.invalid(field: "Elevation")) {
            try layout.encode(kilograms + foreign)
        }
    }

    @Test(
        "Random values survive a round trip, and random bytes never trap",
        arguments: RunSeed.seeds(2)
    )
    func survivesRoundTrips(seed: UInt64) throws {
        var generator = ValueGenerator(seed: seed)
        for layout in ValueLayout.characteristics.compactMap({ ValueLayout(of: $0) }) {
            for _ in 0..<20 {
                let data = generator.value(of: layout)
                guard let values = try? layout.decode(data) else { continue }
                let encoded = try layout.encode(values)
                let again = try layout.decode(encoded)
                #expect(again.map(\.text) == values.map(\.text), "\(layout.characteristic)")
                #expect(try layout.encode(again) == encoded)
            }
        }
    }

    @Test(
        "A layout decodes each value that the characteristic's type decodes",
        arguments: RunSeed.seeds(1)
    )
    func agreesWithTypes(seed: UInt64) throws {
        // Bits that no type and no layout names are not a part of the value.
        var generator = ValueGenerator(seed: seed, setsReservedBits: false)
        for type in ValueVector.types {
            guard let layout = ValueLayout(of: type.identifier) else { continue }
            for _ in 0..<100 {
                let data = generator.value(of: layout)
                guard let value = try? type.init(decoding: data) else { continue }
                let values = try? layout.decode(data)
                let place = "\(type) \(data.map { $0 }): \(value)"
                #expect(values != nil, "\(place)")
                let kept = values.flatMap { try? type.init(decoding: layout.encode($0)) }
                #expect(kept.map { "\($0)" } == "\(value)", "\(place)")
            }
        }
    }

    @Test(
        "A text with the value of a field, with or without its unit or in words, is encoded",
        arguments: [
            ("2A6E", "21.5", "6608"), ("2A6E", "21.50 °C", "6608"), ("2A6E", "Not known", "0080"),
            ("2A19", "55", "37"), ("2B4A", "ambidextrous", "02"), ("2BE9", "none", "00"),
            ("2BE9", "critical power state + immediate service required", "03"),
            ("2BD6", "0.000001", "01a0"), ("2A8A", "Zoë", "5a6fc3ab"),
            ("2B46", "9984 9985", "00270127"),
            ("2AC1", "2026-11-21 12:40:05", "ea070b150c2805"), ("2ABF", "2a37", "2a37"),
            ("2A85", "Year=1990, month=May, Day=3", "c6070503"),
            ("2A9D", "Weight=70 lb", "01581b"), ("2A9D", "weight=71.5 kg, User ID=2", "04dc3702"),
            ("2C21", "Button 1 pressed + Button 3 held", "c4"),
        ] as [(String, String, String)]
    )
    func parses(digits: String, text: String, hex: String) throws {
        let layout = try Self.layout(digits)
        #expect(try layout.encode(layout.parse(text)) == Data(hex: hex))
    }

    @Test("A text that a field cannot contain is refused with what it can contain")
    func refusesTexts() throws {
        let level = try Self.layout("2A19")
        for text in ["101", "-1", "55.5", "full", "", "nan"] {
            let form = "a whole number from 0 to 100 %"
            #expect(throws: FieldTextError.invalid("Battery Level", text, form)) {
                try level.parse(text)
            }
        }
        let form = #"a number from -273.15 to 327.67 °C in steps of 0.01, or "not known""#
        #expect(throws: FieldTextError.invalid("Temperature", "21.555", form)) {
            try Self.layout("2A6E").parse("21.555")
        }
        #expect(throws: FieldTextError.unknownField("Decade")) {
            try Self.layout("2A85").parse("Decade=1")
        }
    }
}
