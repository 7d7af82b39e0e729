// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import BluetoothValues

@Suite struct MedicalNumberTests {
    @Test(
        "32-bit numbers include the special values",
        arguments: [
            (0x0000_007F, "127"), (0xFF00_016E, "36.6"), (0x007F_FFFF, "not a number"),
            (0x0080_0000, "not at this resolution"), (0x007F_FFFE, "+∞"), (0x0080_0002, "-∞"),
            (0x02FF_FFFF, "-100"), (0x0080_0003, "-8388605"), (0x007F_FFFD, "8388605"),
            (0x017F_FFFF, "83886070"), (0xFE00_0005, "0.05"),
        ] as [(UInt32, String)]
    )
    func readsFloats(bits: UInt32, expected: String) throws {
        let number = try MedicalFloat(bits: bits, field: "")
        #expect(number.description == expected)
        #expect(number.bits == bits)
        #expect(try MedicalFloat(number.number) == number)
    }

    @Test(
        "16-bit numbers include the special values",
        arguments: [
            (0x0078, "120"), (0xF048, "7.2"), (0x07FF, "not a number"), (0x07FE, "+∞"),
            (0x0800, "not at this resolution"), (0x0802, "-∞"), (0x0FFF, "-1"),
            (0x7001, "10000000"), (0x8001, "0.00000001"), (0x17FF, "20470"),
        ] as [(UInt16, String)]
    )
    func readsShortFloats(bits: UInt16, expected: String) throws {
        let number = try ShortMedicalFloat(bits: bits, field: "")
        #expect(number.description == expected)
        #expect(number.bits == bits)
        #expect(try ShortMedicalFloat(number.number) == number)
    }

    @Test("The reserved value is refused")
    func refusesReserved() {
        #expect(throws: ValueError.invalid(field: "Field")) {
            try MedicalFloat(bits: 0x0080_0001, field: "Field")
        }
        #expect(throws: ValueError.invalid(field: "Field")) {
            try ShortMedicalFloat(bits: 0x0801, field: "Field")
        }
    }

    @Test("All 16-bit numbers except the reserved one survive a round trip")
    func readsAllShortFloats() {
        for bits in UInt16.min...UInt16.max where bits != 0x0801 {
            #expect((try? ShortMedicalFloat(bits: bits, field: ""))?.bits == bits)
        }
    }

    @Test("Random 32-bit numbers survive a round trip", arguments: RunSeed.seeds(1))
    func readsRandomFloats(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<20_000 {
            let bits = UInt32(truncatingIfNeeded: generator.next())
            #expect(bits == 0x0080_0001 || (try? MedicalFloat(bits: bits, field: ""))?.bits == bits)
        }
    }

    @Test(
        "Numbers that do not fit or collide with special values are refused",
        arguments: [
            (2048, 1), (-2049, 1), (1, 8), (1, -9), (2047, 0), (2046, 0), (-2048, 0), (-2047, 0),
            (-2046, 0), (Int.max, 0), (Int.min, Int.min),
        ]
    )
    func refusesWhatDoesNotFit(mantissa: Int, exponent: Int) {
        #expect(throws: ValueError.invalid(field: "medical number")) {
            try ShortMedicalFloat(mantissa: mantissa, exponent: exponent)
        }
    }

    @Test("The largest and smallest numbers fit")
    func takesTheLimits() throws {
        for (mantissa, exponent) in [(2047, 7), (-2048, -8), (2045, 0), (-2045, 0), (0, 0)] {
            let number = try ShortMedicalFloat(mantissa: mantissa, exponent: exponent)
            let again = try ShortMedicalFloat(bits: number.bits, field: "")
            #expect(again.number == .finite(mantissa: mantissa, exponent: exponent))
        }
        #expect(try MedicalFloat(mantissa: 0x7F_FFFF, exponent: 127).value == 8388607e127)
        #expect(throws: ValueError.self) { try MedicalFloat(mantissa: 1, exponent: 128) }
    }

    @Test("Medical numbers convert to the nearest binary numbers")
    func convertsToBinary() throws {
        #expect(try MedicalFloat(mantissa: 366, exponent: -1).value == 36.6)
        #expect(try ShortMedicalFloat(mantissa: 72, exponent: -1).value == 7.2)
        #expect(try MedicalFloat(.positiveInfinity).value == .infinity)
        #expect(try MedicalFloat(.negativeInfinity).value == -.infinity)
        #expect(try MedicalFloat(.notANumber).value.isNaN)
        #expect(try MedicalFloat(.notAtThisResolution).value.isNaN)
    }
}

@Suite struct DecimalTextTests {
    @Test(
        "A product of an integer and a power of ten becomes decimal digits",
        arguments: [
            (2150, -2, "21.50"), (5, -2, "0.05"), (-5, -2, "-0.05"), (0, 0, "0"), (7, 3, "7000"),
            (-12, 0, "-12"), (123, -1, "12.3"), (0, -2, "0.00"), (0, 100, "0"), (0, -100, "0"),
        ]
    )
    func describes(mantissa: Int, exponent: Int, expected: String) {
        #expect(DecimalText.describe(mantissa, exponent: exponent) == expected)
    }
}
