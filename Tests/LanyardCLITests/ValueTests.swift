// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import BluetoothValues
import LanyardTestSupport
import Testing

@testable import LanyardCLI

@Suite("Well-known values") struct ValueTests {
    @Test(
        "Characteristics decode to their meaning",
        arguments: [
            (0x2A00, "4c616e79617264", "\"Lanyard\""),
            (0x2A00, "1b5b6d", "\"\\u{1B}[m\""),
            (0x2A01, "4103", "Heart rate belt"),
            (0x2A01, "4003", "Heart rate sensor"),
            (0x2A01, "ffff", "appearance 65535"),
            (
                0x2A04, "0600180000002c01",
                "interval 7.50 ms to 30.00 ms, latency 0, timeout 3000 ms"
            ),
            (0x2A04, "ffffffff0000ffff", "interval any to any, latency 0, timeout any"),
            (0x2A05, "0100ffff", "handles 1 to 65535 changed"),
            (0x2A06, "02", "high alert"),
            (0x2A07, "f6", "-10 dBm"),
            (0x2A08, "ea070b150c2805", "2026-11-21 12:40:05"),
            (0x2A08, "00000000000000", "no date 00:00:00"),
            (0x2A19, "00", "0 %"),
            (0x2A19, "64", "100 %"),
            (0x2A1C, "006e0100ff", "36.6 °C"),
            (0x2A1C, "06fe7f0000ea070b150c280502", "32766 °C, body, 2026-11-21 12:40:05"),
            (0x2A1C, "01ffff7f00", "not a number °F"),
            (0x2A1D, "09", "ear drum"),
            (0x2A23, "0102030405ccbbaa", "organization aabbcc, manufacturer 0504030201"),
            (0x2A2B, "ea070b150c2805060000", "Saturday, 2026-11-21 12:40:05"),
            (0x2A35, "00780050006300", "120/80 mmHg, mean 99 mmHg"),
            (0x2A35, "0478005000630048f0", "120/80 mmHg, mean 99 mmHg, 7.2 bpm"),
            (0x2A37, "0048", "72 bpm"),
            (0x2A37, "013a01", "314 bpm"),
            (0x2A37, "0648", "72 bpm, contact"),
            (0x2A37, "0448", "72 bpm, no contact"),
            (0x2A37, "1848640000040002", "72 bpm, 100 kJ, intervals 1000, 500 ms"),
            (0x2A38, "01", "chest"),
            (0x2A50, "025e0440001302", "USB vendor 0x045e, product 0x0040, version 2.1.3"),
            (0x2A50, "014c0001000001", "Apple, Inc., product 0x0001, version 1.0.0"),
            (
                0x2A53, "070002508c00e8030000",
                "running, 2.00 m/s, 80 steps/min, stride 1.40 m, 100.0 m"
            ),
            (0x2A5B, "00", "nothing measured"),
            (0x2A5B, "030a000000000405000002", "wheel 10 revolutions, crank 5 revolutions"),
            (0x2A6D, "30750f00", "1013.040 hPa"),
            (0x2A6E, "6608", "21.50 °C"),
            (0x2A6E, "fbff", "-0.05 °C"),
            (0x2A6E, "0080", "not known"),
            (0x2A6F, "1027", "100.00 %"),
            (0x2A0A, "ea070b150c280506", "Saturday, 2026-11-21 12:40:05"),
            (0x2A18, "020300ea070b150c280537b0f1", "number 3, 0.00055 kg/L, 2026-11-21 12:40:05"),
            (0x2A39, "01", "reset energy expended"),
            (0x2A63, "0000fa00", "250 W"),
            (0x2A9D, "00dc37", "71.500 kg"),
            (0x2AA6, "01", "supported"), (0x2A6C, "40e201", "1234.56 m"),
            (0x2B18, "0703", "12.109375 V"), (0x2B18, "ffff", "not known"),
            (0x2B4A, "01", "right handed"),
            (
                0x2AD7, "3cb405",
                "Minimum Heart Rate 60 bpm, Maximum Heart Rate 180 bpm, Minimum Increment 5 bpm"
            ),
            (0x2BE9, "03", "critical power state, immediate service required"),
            (
                0x2AD2, "0400e803b400",
                "Instantaneous Speed 10.00 km/h, Instantaneous Cadence 90 rpm"
            ),
        ] as [(UInt16, String, String)]
    )
    func decodesCharacteristics(number: UInt16, hex: String, expected: String) throws {
        let bytes = try #require([UInt8](hexadecimal: hex))
        let uuid = BluetoothUUID(number)
        #expect(try WellKnownValues.describe(bytes, ofCharacteristic: uuid) == expected)
    }

    @Test(
        "Descriptors decode to their meaning",
        arguments: [
            (0x2900, "0100", "reliable write"),
            (0x2900, "0000", "none"),
            (0x2901, "526f6f6d", "\"Room\""),
            (0x2902, "0000", "off"),
            (0x2902, "0100", "notifications on"),
            (0x2902, "0200", "indications on"),
            (0x2902, "0300", "notifications and indications on"),
            (0x2903, "0100", "broadcasts on"),
            (0x2904, "0efe2f27010000", "sint16 × 10^-2 °C"),
            (0x2904, "0400ad27010000", "uint8 %"),
            (0x2904, "04000027010000", "uint8"),
            (0x2904, "ff000130010000", "format 255 unit 3001"),
            (0x2905, "12001500", "formats at #18, #21"), (0x2905, "0701", "formats at #263"),
            (0x2908, "0101", "input report 1"),
        ] as [(UInt16, String, String)]
    )
    func decodesDescriptors(number: UInt16, hex: String, expected: String) throws {
        let bytes = try #require([UInt8](hexadecimal: hex))
        let uuid = BluetoothUUID(number)
        #expect(try WellKnownValues.describe(bytes, ofDescriptor: uuid) == expected)
    }

    @Test(
        "Values out of their range are refused",
        arguments: [
            (0x2A00, "ff"), (0x2A05, "0000ffff"), (0x2A05, "05000400"), (0x2A06, "03"),
            (0x2A07, "15"), (0x2A08, "ea070d150c2805"), (0x2A08, "0a000b150c2805"),
            (0x2A08, "ea070b15182805"), (0x2A19, "65"), (0x2A1D, "00"), (0x2A1D, "0a"),
            (0x2A2B, "ea070b150c2805080000"), (0x2A38, "07"), (0x2A50, "005e0440001302"),
            (0x2A6E, "4c95"), (0x2A6F, "1127"), (0x2AA6, "02"),
        ] as [(UInt16, String)]
    )
    func refusesInvalidInput(number: UInt16, hex: String) throws {
        let bytes = try #require([UInt8](hexadecimal: hex))
        #expect(throws: MalformedBytes.self) {
            try WellKnownValues.describe(bytes, ofCharacteristic: BluetoothUUID(number))
        }
    }

    @Test(
        "A malformed Characteristic Aggregate Format is refused",
        arguments: ["", "12", "120015", "0000", "12000000"]
    )
    func refusesAggregateFormat(hex: String) throws {
        let bytes = try #require([UInt8](hexadecimal: hex))
        #expect(throws: MalformedBytes.self) {
            try WellKnownValues.describe(bytes, ofDescriptor: BluetoothUUID(0x2905))
        }
    }

    @Test("Every fixed layout refuses each truncation and a trailing byte")
    func refusesOtherLengths() throws {
        for number in WellKnownValues.characteristics.keys {
            let vector = try #require(Self.longest[number], "no vector of \(number)")
            let bytes = try #require([UInt8](hexadecimal: vector))
            let uuid = BluetoothUUID(number)
            _ = try WellKnownValues.describe(bytes, ofCharacteristic: uuid)
            for length in 0..<bytes.count {
                #expect(throws: MalformedBytes.self, "\(number) cut to \(length)") {
                    try WellKnownValues.describe(
                        Array(bytes.prefix(length)),
                        ofCharacteristic: uuid
                    )
                }
            }
            #expect(throws: MalformedBytes.self) {
                try WellKnownValues.describe(bytes + [0], ofCharacteristic: uuid)
            }
        }
    }

    @Test(
        "Random bytes decode or are refused, and print safely either way",
        arguments: RunSeed.seeds(1)
    )
    func survivesRandomBytes(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let bytes = generator.bytes(upTo: 24)
            for digits in ValueLayout.characteristics.map(\.text) {
                let number = try #require(UInt16(digits, radix: 16))
                let text = ValueText.describe(bytes, ofCharacteristic: BluetoothUUID(number))
                #expect(text.unicodeScalars.allSatisfy { $0.isPrintable })
            }
            for number in WellKnownValues.descriptors.keys {
                let text = ValueText.describe(bytes, ofDescriptor: BluetoothUUID(number))
                #expect(text.unicodeScalars.allSatisfy { $0.isPrintable })
            }
        }
    }

    @Test(
        "A value of unknown layout is shown in hexadecimal, and as text if it is printable and long enough",
        arguments: [
            ("", "(empty)"), ("01", "01"), ("4c61", "4c61"), ("4c616e", "4c616e \"Lan\""),
            ("4c611b", "4c611b"), ("ff00ff00", "ff00ff00"),
        ]
    )
    func describesUnknownValues(hex: String, expected: String) throws {
        let bytes = try #require([UInt8](hexadecimal: hex))
        #expect(ValueText.plain(bytes) == expected)
    }

    @Test("A malformed value is shown with the error")
    func describesMalformedValues() {
        let text = ValueText.describe([0x65], ofCharacteristic: BluetoothUUID(0x2A19))
        #expect(text == "65 (malformed: invalid Battery Level)")
    }

    /// A value for each characteristic. Every truncation of the value is malformed.
    private static let longest: [UInt16: String] = [
        0x2A01: "4103", 0x2A0A: "ea070b150c280506", 0x2A18: "000300ea070b150c2805",
        0x2A39: "01", 0x2A63: "0000fa00", 0x2A9D: "00dc37", 0x2A04: "0600180000002c01",
        0x2A05: "0100ffff", 0x2A06: "02",
        0x2A07: "f6", 0x2A08: "ea070b150c2805", 0x2A19: "64",
        0x2A1C: "066e0100ffea070b150c280502", 0x2A1D: "09", 0x2A1E: "066e0100ffea070b150c280502",
        0x2A23: "0102030405ccbbaa", 0x2A2B: "ea070b150c2805060000",
        0x2A35: "1e780050006300ea070b150c28054800010000",
        0x2A36: "1e780050006300ea070b150c28054800010000", 0x2A37: "094801e803", 0x2A38: "01",
        0x2A50: "025e0440001302", 0x2A53: "070002508c00e8030000",
        0x2A5B: "030a000000000405000002", 0x2A6D: "30750f00", 0x2A6E: "6608", 0x2A6F: "1027",
        0x2AA6: "01",
    ]
}
