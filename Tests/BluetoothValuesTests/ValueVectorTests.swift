// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import BluetoothValues

@Suite struct ValueVectorTests {
    @Test(
        "The vectors decode to their descriptions and encode to the same bytes",
        arguments: ValueVector.whole + ValueVector.others
    )
    func decodesAndEncodes(vector: ValueVector) throws {
        let value = try vector.type.init(decoding: vector.bytes)
        #expect(value.description == vector.text)
        #expect(value.encoded == vector.bytes)
    }

    @Test("Every truncated value and an additional byte are refused", arguments: ValueVector.whole)
    func refusesOtherLengths(vector: ValueVector) throws {
        for length in 0..<vector.bytes.count {
            let error = try #require(throws: ValueError.self) {
                try vector.type.init(decoding: vector.bytes.prefix(length))
            }
            guard case .truncated = error else {
                Issue.record("Cut to \(length): \(error)")
                continue
            }
        }
        #expect(throws: ValueError.trailing(count: 1)) {
            try vector.type.init(decoding: vector.bytes + [0])
        }
    }

    @Test("Every type has a vector and its own characteristic")
    func coversAll() {
        let covered = (ValueVector.whole + ValueVector.others).map { ObjectIdentifier($0.type) }
        #expect(Set(ValueVector.types.map { ObjectIdentifier($0) }) == Set(covered))
        #expect(Set(ValueVector.types.map { $0.identifier }).count == ValueVector.types.count)
    }

    @Test(
        "A value that is reserved or out of range is refused with the name of its field",
        arguments: [
            (BatteryLevel.self, "65", "Battery Level"),
            (TransmitPower.self, "15", "Tx Power Level"),
            (TransmitPower.self, "9b", "Tx Power Level"), (AlertLevel.self, "03", "Alert Level"),
            (BodySensorLocation.self, "07", "Body Sensor Location"),
            (HeartRateControlPoint.self, "00", "Heart Rate Control Point"),
            (DateTime.self, "0a00 0b15 0c2805", "Date Time"),
            (DateTime.self, "1027 0b15 0c2805", "Date Time"),
            (DateTime.self, "ea07 0d15 0c2805", "Date Time"),
            (DateTime.self, "ea07 0b20 0c2805", "Date Time"),
            (DateTime.self, "ea07 0b15 182805", "Date Time"),
            (DateTime.self, "ea07 0b15 0c3c05", "Date Time"),
            (DateTime.self, "ea07 0b15 0c283c", "Date Time"),
            (DayDateTime.self, "ea07 0b15 0c2805 08", "Day of Week"),
            (CurrentTime.self, "ea07 0b15 0c2805 08 00 00", "Day of Week"),
            (TemperatureType.self, "00", "Temperature Type"),
            (TemperatureType.self, "0a", "Temperature Type"),
            (TemperatureMeasurement.self, "00 01008000", "Temperature"),
            (BloodPressureMeasurement.self, "00 0108 5000 6300", "Systolic"),
            (BloodPressureMeasurement.self, "00 7800 0108 6300", "Diastolic"),
            (BloodPressureMeasurement.self, "00 7800 5000 0108", "Mean Arterial Pressure"),
            (BloodPressureMeasurement.self, "04 7800 5000 6300 0108", "Pulse Rate"),
            (GlucoseMeasurement.self, "02 0300 ea070b150c2805 37c0 10", "Type"),
            (GlucoseMeasurement.self, "02 0300 ea070b150c2805 37c0 1b", "Type"),
            (GlucoseMeasurement.self, "02 0300 ea070b150c2805 37c0 01", "Sample Location"),
            (GlucoseMeasurement.self, "02 0300 ea070b150c2805 37c0 51", "Sample Location"),
            (PnPIdentifier.self, "00 5e04 4000 1302", "Vendor ID Source"),
            (PnPIdentifier.self, "03 5e04 4000 1302", "Vendor ID Source"),
            (Temperature.self, "4c95", "Temperature"), (Humidity.self, "1127", "Humidity"),
            (DeviceName.self, "ff", "UTF-8"), (DeviceName.self, "c0 80", "UTF-8"),
            (SerialNumber.self, "ed a0 80", "UTF-8"),
        ] as [(any CharacteristicValue.Type, String, String)]
    )
    func refusesInvalidInput(
        type: any CharacteristicValue.Type,
        bytes: String,
        field: String
    ) {
        #expect(throws: ValueError.invalid(field: field)) {
            try type.init(decoding: Data(hex: bytes))
        }
    }

    @Test(
        "Reserved bits of flags are ignored, and encoded as zero",
        arguments: [
            (HeartRateMeasurement.self, "e0 48", "00 48"),
            (TemperatureMeasurement.self, "f8 6e0100ff", "00 6e0100ff"),
            (BloodPressureMeasurement.self, "e0 780050006300", "00 780050006300"),
            (WeightMeasurement.self, "f0 dc05", "00 dc05"),
            (RunningSpeedAndCadence.self, "f8 8000 00", "00 8000 00"),
            (CyclingSpeedAndCadence.self, "fc", "00"),
            (CyclingPower.self, "00e0 0100", "0000 0100"),
            (GlucoseMeasurement.self, "e0 0100 00000000000000", "00 0100 00000000000000"),
        ] as [(any CharacteristicValue.Type, String, String)]
    )
    func ignoresReservedBits(
        type: any CharacteristicValue.Type,
        bytes: String,
        canonical: String
    ) throws {
        let value = try type.init(decoding: Data(hex: bytes))
        #expect(value.encoded == Data(hex: canonical))
    }
}

@Suite struct ValueFuzzTests {
    private static let rounds = 20_000
    private static let longest = 40

    /// The types whose values have only one encoded form.
    private static let canonical: Set<ObjectIdentifier> = Set(
        [
            BodySensorLocation.self, HeartRateControlPoint.self, BatteryLevel.self,
            TransmitPower.self, AlertLevel.self, DateTime.self, DayDateTime.self,
            CurrentTime.self, TemperatureType.self, DeviceName.self, PnPIdentifier.self,
            SystemIdentifier.self, Appearance.self, Temperature.self, Humidity.self,
            Pressure.self,
        ].map { (type: any CharacteristicValue.Type) in ObjectIdentifier(type) }
    )

    @Test(
        "Random bytes are refused, or decode to a value that survives a round trip",
        arguments: RunSeed.seeds(4)
    )
    func survivesRandomBytes(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<Self.rounds / ValueVector.types.count {
            let bytes = Data(generator.bytes(upTo: Self.longest))
            for type in ValueVector.types { check(type, bytes) }
        }
    }

    @Test(
        "Altered values are refused, or decode to a value that survives a round trip",
        arguments: RunSeed.seeds(4)
    )
    func survivesMutations(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<Self.rounds {
            let vector = try #require(ValueVector.whole.randomElement(using: &generator))
            check(vector.type, mutate(vector.bytes, &generator))
        }
    }

    private func check(_ type: any CharacteristicValue.Type, _ bytes: Data) {
        guard let value = try? type.init(decoding: bytes) else { return }
        let isStable = isStable(value)
        #expect(isStable, "\(type) \(Array(bytes))")
        #expect(!value.description.isEmpty)
        if Self.canonical.contains(ObjectIdentifier(type)) { #expect(value.encoded == bytes) }
    }

    private func isStable<Value: CharacteristicValue>(_ value: Value) -> Bool {
        (try? Value(decoding: value.encoded)) == value
    }

    private func mutate(_ bytes: Data, _ generator: inout SplitMix64) -> Data {
        var changed = Array(bytes)
        for _ in 0...Int.random(in: 0..<3, using: &generator) {
            let index = Int.random(in: 0...changed.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: changed.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            case 1 where index < changed.count: changed.remove(at: index)
            case _ where index < changed.count:
                changed[index] = UInt8.random(in: 0...255, using: &generator)
            default: break
            }
        }
        return Data(changed)
    }
}
