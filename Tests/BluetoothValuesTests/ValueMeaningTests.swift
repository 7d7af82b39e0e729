// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTestSupport
import Testing

@testable import BluetoothValues

/// The meanings of values that the bytes of single fields do not contain.
@Suite struct ValueMeaningTests {
    @Test("A heart rate takes one byte if it fits, and both forms are decoded")
    func writesShortRates() throws {
        #expect(HeartRateMeasurement(rate: 255).encoded == Data(hex: "00ff"))
        #expect(HeartRateMeasurement(rate: 256).encoded == Data(hex: "010001"))
        let long = try HeartRateMeasurement(decoding: Data(hex: "014800"))
        #expect(long == HeartRateMeasurement(rate: 72))
        #expect(long.encoded == Data(hex: "0048"))
    }

    @Test("The contact is unknown if the sensor cannot detect it")
    func ignoresUnsupportedContact() throws {
        #expect(try HeartRateMeasurement(decoding: Data(hex: "0248")).hasContact == nil)
        #expect(try HeartRateMeasurement(decoding: Data(hex: "0448")).hasContact == false)
        #expect(try HeartRateMeasurement(decoding: Data(hex: "0648")).hasContact == true)
    }

    @Test("The intervals between beats, of two bytes each, fill the end of the value")
    func readsIntervals() throws {
        let measurement = try HeartRateMeasurement(decoding: Data(hex: "1048 0004 0002 0100"))
        #expect(measurement.intervals.map(\.rawValue) == [1024, 512, 1])
        #expect(measurement.intervals[0].duration == .seconds(1))
        #expect(measurement.intervals[1].duration == .milliseconds(500))
        #expect(measurement.intervals[2].duration == .nanoseconds(976_562) + .nanoseconds(1) / 2)
        #expect(throws: ValueError.truncated(needed: 2, available: 1)) {
            try HeartRateMeasurement(decoding: Data(hex: "1048 0004 00"))
        }
    }

    @Test("Values convert to degrees Celsius, percent and pascals")
    func convertsTemperatures() throws {
        let fever = TemperatureMeasurement(
            temperature: try MedicalFloat(mantissa: 1004, exponent: -1),
            unit: .fahrenheit
        )
        #expect(abs(fever.celsius - 38) < 1e-9)
        #expect(try Temperature(hundredths: -5).celsius == -0.05)
        #expect(try Temperature(hundredths: nil).celsius == nil)
        #expect(try Humidity(hundredths: 5_025).percentage == 50.25)
        #expect(Pressure(tenths: 1_013_250).pascals == 101_325)
    }

    @Test("Imperial units convert to metric units, and a failed measurement has no weight")
    func convertsWeights() throws {
        let pounds = WeightMeasurement(
            weight: 15_400,
            units: .imperial,
            body: .init(massIndex: 221, height: 720)
        )
        #expect(abs(try #require(pounds.kilograms) - 69.8532) < 1e-4)
        #expect(abs(try #require(pounds.meters) - 1.8288) < 1e-9)
        #expect(WeightMeasurement(weight: 14_300).kilograms == 71.5)
        #expect(WeightMeasurement(weight: WeightMeasurement.failed).kilograms == nil)
        #expect(WeightMeasurement(weight: 1).meters == nil)
    }

    @Test("Revolutions per second take the wrap of the counters into account")
    func countsTurns() {
        let before = WheelRevolutions(count: 10, time: 65_000)
        #expect(WheelRevolutions(count: 14, time: 488).perSecond(since: before) == 4)
        #expect(before.perSecond(since: before) == nil)
        let powerBefore = CyclingPower.WheelRevolutions(count: 10, time: 65_000)
        let power = CyclingPower.WheelRevolutions(count: 14, time: 488)
        #expect(power.perSecond(since: powerBefore) == 8)
        let wrapped = WheelRevolutions(count: .max, time: 0)
        #expect(WheelRevolutions(count: 1, time: 1024).perSecond(since: wrapped) == 2)
        let crank = CrankRevolutions(count: 65_535, time: 0)
        #expect(CrankRevolutions(count: 1, time: 1024).perSecond(since: crank) == 2)
        #expect(crank.perSecond(since: crank) == nil)
    }

    @Test("A wheel that turns backward, or whose count was set, has a negative rate")
    func countsBack() {
        let before = WheelRevolutions(count: 10, time: 0)
        #expect(WheelRevolutions(count: 8, time: 1024).perSecond(since: before) == -2)
        let power = CyclingPower.WheelRevolutions(count: 10, time: 0)
        #expect(CyclingPower.WheelRevolutions(count: 0, time: 2048).perSecond(since: power) == -10)
    }

    @Test("The angles of the extremes share three bytes, the maximum in the low 12 bits")
    func packsAngles() throws {
        // The specification's example: 0xABC and 0x123 are sent as 0x123ABC.
        var power = CyclingPower(power: 0)
        power.extremeAngles = try .init(maximum: 0xABC, minimum: 0x123)
        #expect(power.encoded == Data(hex: "0001 0000 bc3a12"))
        #expect(throws: ValueError.invalid(field: "Extreme Angles")) {
            try CyclingPower.Angles(maximum: 4096, minimum: 0)
        }
    }

    @Test("The bits of a status and of a reason have names")
    func namesBits() throws {
        let pressure = try BloodPressureMeasurement(
            decoding: Data(hex: "10 7800 5000 6300 2500")
        )
        #expect(pressure.status == [.bodyMovement, .irregularPulse, .improperPosition])
        #expect(
            pressure.description
                == "120/80 mmHg, mean 99 mmHg, the person moved, irregular pulse, wrong position"
        )
        #expect(BloodPressureMeasurement.Status().description == "normal")
        #expect(
            BloodPressureMeasurement.Status(rawValue: 0x0102).description
                == "cuff too loose, bits 256"
        )
        let time = try CurrentTime(decoding: Data(hex: "ea070b150c2805 06 80 0c"))
        #expect(time.adjustReason == [.timeZone, .daylightSaving])
        #expect(time.fraction == 128)
    }

    @Test("An appearance has a category and a subcategory")
    func splitsAppearances() {
        let belt = Appearance(rawValue: 0x0341)
        #expect(belt.category == 13 && belt.subcategory == 1)
    }

    @Test("A value that cannot be encoded cannot be created")
    func refusesInvalidValues() {
        #expect(throws: ValueError.self) { try BatteryLevel(percentage: 101) }
        #expect(throws: ValueError.self) { try TransmitPower(level: 21) }
        #expect(throws: ValueError.self) { try Temperature(hundredths: .min) }
        #expect(throws: ValueError.self) { try Humidity(hundredths: 10_001) }
        #expect(throws: ValueError.self) {
            try SystemIdentifier(manufacturerIdentifier: 1 << 40, organizationIdentifier: 0)
        }
        #expect(throws: ValueError.self) {
            try SystemIdentifier(manufacturerIdentifier: 0, organizationIdentifier: 1 << 24)
        }
    }

    @Test("Errors describe the problem")
    func describesErrors() {
        #expect(
            ValueError.truncated(needed: 2, available: 1).description
                == "truncated: 2 bytes needed, 1 available"
        )
        #expect(ValueError.trailing(count: 1).description == "1 byte left over")
        #expect(ValueError.trailing(count: 3).description == "3 bytes left over")
        #expect(ValueError.invalid(field: "Type").description == "invalid Type")
    }

    @Test("An app's own value type decodes and encodes like the types of this package")
    func takesOwnTypes() throws {
        let color = try LampColor(decoding: Data([1, 2, 3]))
        #expect(color == LampColor(red: 1, green: 2, blue: 3))
        #expect(color.encoded == Data([1, 2, 3]))
        #expect(throws: ValueError.trailing(count: 1)) {
            try LampColor(decoding: Data([1, 2, 3, 4]))
        }
    }

    private struct LampColor: CharacteristicValue {
        static let identifier: BluetoothID = "4C414E59-4152-4400-A000-000000001A02"
        var red: UInt8
        var green: UInt8
        var blue: UInt8
        var description: String { "\(red), \(green), \(blue)" }

        init(red: UInt8, green: UInt8, blue: UInt8) {
            self.red = red
            self.green = green
            self.blue = blue
        }

        init(from reader: inout ValueReader) throws(ValueError) {
            red = try reader.readUInt8()
            green = try reader.readUInt8()
            blue = try reader.readUInt8()
        }

        func write(to writer: inout ValueWriter) { writer.write(red, green, blue) }
    }
}

@Suite struct DateTimeTests {
    private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

    @Test("A moment converts to local time in a time zone, and back")
    func convertsDates() throws {
        let moment = Date(timeIntervalSince1970: 1_795_264_805.75)
        let time = try DateTime(moment, in: .gmt)
        #expect(time.description == "2026-11-21 12:40:05")
        #expect(time.date(in: .gmt) == Date(timeIntervalSince1970: 1_795_264_805))
        #expect(try DateTime(moment, in: Self.berlin).hour == 13)
    }

    @Test("A local time that does not exist has no moment")
    func refusesImpossibleDates() throws {
        let springs = try DateTime(year: 2026, month: 3, day: 29, hour: 2, minute: 30, second: 0)
        #expect(springs.date(in: Self.berlin) == nil)
        #expect(springs.date(in: .gmt) != nil)
        let february = try DateTime(year: 2026, month: 2, day: 30, hour: 0, minute: 0, second: 0)
        #expect(february.date(in: .gmt) == nil)
        let unknown = try DateTime(year: nil, month: 2, day: 3, hour: 0, minute: 0, second: 0)
        #expect(unknown.date(in: .gmt) == nil)
    }

    @Test("Years out of range are refused")
    func refusesFarYears() {
        #expect(throws: ValueError.invalid(field: "Date Time")) {
            try DateTime(Date(timeIntervalSince1970: -20_000_000_000), in: .gmt)
        }
        // This date is in the year 2002 before the common era.
        #expect(throws: ValueError.invalid(field: "Date Time")) {
            try DateTime(Date(timeIntervalSince1970: -125_300_000_000), in: .gmt)
        }
        #expect(throws: ValueError.invalid(field: "Date Time")) {
            try DateTime(Date(timeIntervalSince1970: 300_000_000_000), in: .gmt)
        }
    }

    @Test(
        "A date with a number out of its range is refused",
        arguments: [
            (1581, 1, 1, 0, 0, 0), (10_000, 1, 1, 0, 0, 0), (0, 1, 1, 0, 0, 0),
            (2026, 0, 1, 0, 0, 0), (2026, 13, 1, 0, 0, 0), (2026, 1, 0, 0, 0, 0),
            (2026, 1, 32, 0, 0, 0), (2026, 1, 1, 24, 0, 0), (2026, 1, 1, -1, 0, 0),
            (2026, 1, 1, 0, 60, 0), (2026, 1, 1, 0, 0, 60),
        ]
    )
    func checksRanges(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        #expect(throws: ValueError.invalid(field: "Date Time")) {
            try DateTime(
                year: year,
                month: month,
                day: day,
                hour: hour,
                minute: minute,
                second: second
            )
        }
    }
}
