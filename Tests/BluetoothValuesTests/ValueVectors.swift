// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTestSupport
import Testing

@testable import BluetoothValues

/// A value in bytes, and its description.
struct ValueVector: Sendable, CustomTestStringConvertible {
    let type: any CharacteristicValue.Type
    let bytes: Data
    let text: String

    init(_ type: any CharacteristicValue.Type, _ bytes: String, _ text: String) {
        self.type = type
        self.bytes = Data(hex: bytes)
        self.text = text
    }

    var testDescription: String { "\(type): \(text)" }

    /// All tested types.
    static let types: [any CharacteristicValue.Type] = [
        HeartRateMeasurement.self, BodySensorLocation.self, HeartRateControlPoint.self,
        BatteryLevel.self, TransmitPower.self, AlertLevel.self, DateTime.self, DayDateTime.self,
        CurrentTime.self, TemperatureMeasurement.self, IntermediateTemperature.self,
        TemperatureType.self, BloodPressureMeasurement.self, IntermediateCuffPressure.self,
        WeightMeasurement.self, RunningSpeedAndCadence.self, CyclingSpeedAndCadence.self,
        CyclingPower.self, GlucoseMeasurement.self, DeviceName.self, ManufacturerName.self,
        ModelNumber.self, SerialNumber.self, FirmwareRevision.self, HardwareRevision.self,
        SoftwareRevision.self, PnPIdentifier.self, SystemIdentifier.self, Appearance.self,
        Temperature.self, Humidity.self, Pressure.self,
    ]

    /// Values with all their fields. No prefix of these values is a value.
    static let whole: [ValueVector] = [
        ValueVector(HeartRateMeasurement.self, "0f 3a01 e803", "314 bpm, contact, 1000 kJ"),
        ValueVector(BodySensorLocation.self, "01", "chest"),
        ValueVector(HeartRateControlPoint.self, "01", "reset energy expended"),
        ValueVector(BatteryLevel.self, "64", "100 %"),
        ValueVector(TransmitPower.self, "f6", "-10 dBm"),
        ValueVector(AlertLevel.self, "02", "high alert"),
        ValueVector(DateTime.self, "ea07 0b15 0c2805", "2026-11-21 12:40:05"),
        ValueVector(DayDateTime.self, "ea07 0b15 0c2805 06", "Saturday, 2026-11-21 12:40:05"),
        ValueVector(
            CurrentTime.self,
            "ea07 0b15 0c2805 06 80 0f",
            "Saturday, 2026-11-21 12:40:05"
        ),
        ValueVector(
            TemperatureMeasurement.self,
            "06 6e0100ff ea070b150c2805 02",
            "36.6 °C, body, 2026-11-21 12:40:05"
        ),
        ValueVector(
            IntermediateTemperature.self,
            "07 d40300ff ea070b150c2805 09",
            "98.0 °F, ear drum, 2026-11-21 12:40:05"
        ),
        ValueVector(TemperatureType.self, "06", "mouth"),
        ValueVector(
            BloodPressureMeasurement.self,
            "1e 7800 5000 6300 ea070b150c2805 48f0 01 0400",
            """
            120/80 mmHg, mean 99 mmHg, 7.2 bpm, user 1, 2026-11-21 12:40:05, \
            irregular pulse
            """
        ),
        ValueVector(
            IntermediateCuffPressure.self,
            "1f a0f0 ff07 ff07 ea070b150c2805 4800 ff 2100",
            """
            16.0/not a number kPa, mean not a number kPa, 72 bpm, user 255, 2026-11-21 12:40:05, \
            the person moved, wrong position
            """
        ),
        ValueVector(
            WeightMeasurement.self,
            "0e dc37 ea070b150c2805 02 e600 2807",
            "71.500 kg, body mass index 23.0, height 1.832 m, user 2, 2026-11-21 12:40:05"
        ),
        ValueVector(
            RunningSpeedAndCadence.self,
            "07 0002 50 8c00 e8030000",
            "running, 2.00 m/s, 80 steps/min, stride 1.40 m, 100.0 m"
        ),
        ValueVector(
            CyclingSpeedAndCadence.self,
            "03 0a000000 0004 0500 0002",
            "wheel 10 revolutions, crank 5 revolutions"
        ),
        ValueVector(
            CyclingPower.self,
            """
            ff1f fa00 65 4001 01000000 0008 0200 0004 2c01 f6ff 8002 f0ff bc3a12 0500 b900 3200
            """,
            "250 W, 50.5 %, wheel 1 revolutions, crank 2 revolutions, 50 kJ"
        ),
        ValueVector(
            GlucoseMeasurement.self,
            "1f 0300 ea070b150c2805 c4ff 37c0 12 0100",
            "number 3, 0.0055 mol/L, 2026-11-21 12:40:05"
        ),
        ValueVector(
            PnPIdentifier.self,
            "02 5e04 4000 1302",
            "USB vendor 0x045e, product 0x0040, version 2.1.3"
        ),
        ValueVector(
            SystemIdentifier.self,
            "0102030405 ccbbaa",
            "organization aabbcc, manufacturer 0504030201"
        ),
        ValueVector(Appearance.self, "4103", "appearance 833"),
        ValueVector(Temperature.self, "6608", "21.50 °C"),
        ValueVector(Humidity.self, "1027", "100.00 %"),
        ValueVector(Pressure.self, "30750f00", "1013.040 hPa"),
    ]

    /// Values with a prefix that is also a value, or with few fields.
    static let others: [ValueVector] = [
        ValueVector(HeartRateMeasurement.self, "00 48", "72 bpm"),
        ValueVector(HeartRateMeasurement.self, "04 48", "72 bpm, no contact"),
        ValueVector(
            HeartRateMeasurement.self,
            "18 48 6400 0004 0002",
            "72 bpm, 100 kJ, intervals 1000, 500 ms"
        ),
        ValueVector(DateTime.self, "0000 0000 000000", "no date 00:00:00"),
        ValueVector(DayDateTime.self, "0000 0b15 173b3b 00", "no date 23:59:59"),
        ValueVector(TemperatureMeasurement.self, "00 6e0100ff", "36.6 °C"),
        ValueVector(TemperatureMeasurement.self, "01 ffff7f00", "not a number °F"),
        ValueVector(
            BloodPressureMeasurement.self,
            "00 7800 5000 6300",
            "120/80 mmHg, mean 99 mmHg"
        ),
        ValueVector(WeightMeasurement.self, "01 581b", "70.00 lb"),
        ValueVector(WeightMeasurement.self, "00 ffff", "measurement failed"),
        ValueVector(
            WeightMeasurement.self,
            "09 581b e600 d002",
            "70.00 lb, body mass index 23.0, height 72.0 in"
        ),
        ValueVector(RunningSpeedAndCadence.self, "00 8000 00", "walking, 0.50 m/s, 0 steps/min"),
        ValueVector(CyclingSpeedAndCadence.self, "00", "nothing measured"),
        ValueVector(CyclingSpeedAndCadence.self, "02 ffff ffff", "crank 65535 revolutions"),
        ValueVector(CyclingPower.self, "0000 fbff", "-5 W"),
        ValueVector(
            GlucoseMeasurement.self,
            "00 ffff 0000 0000 000000",
            "number 65535, no date 00:00:00"
        ),
        ValueVector(DeviceName.self, "4c616e79617264", "\"Lanyard\""),
        ValueVector(ManufacturerName.self, "", "\"\""),
        ValueVector(ModelNumber.self, "5a c3bc", "\"Zü\""),
        ValueVector(SerialNumber.self, "1b5b6d", "\"\\u{1B}[m\""),
        ValueVector(FirmwareRevision.self, "312e30", "\"1.0\""),
        ValueVector(HardwareRevision.self, "42", "\"B\""),
        ValueVector(SoftwareRevision.self, "6100", "\"a\\0\""),
        ValueVector(
            PnPIdentifier.self,
            "01 4c00 0100 0001",
            "company 0x004c, product 0x0001, version 1.0.0"
        ),
        ValueVector(Temperature.self, "fbff", "-0.05 °C"),
        ValueVector(Temperature.self, "0080", "not known"),
        ValueVector(Temperature.self, "4d95", "-273.15 °C"),
        ValueVector(Humidity.self, "ffff", "not known"),
        ValueVector(BatteryLevel.self, "00", "0 %"),
        ValueVector(TransmitPower.self, "9c", "-100 dBm"),
    ]
}
