// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard

/// The first octet chooses a type; the others are the value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzValues(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let octets = Data(UnsafeBufferPointer(start: start, count: count))
    guard let first = octets.first else { return 0 }
    let type = types[Int(first) % types.count]
    if let value = try? type.init(decoding: Data(octets.dropFirst())) { check(value) }
    return 0
}

private let types: [any CharacteristicValue.Type] = [
    HeartRateMeasurement.self, BodySensorLocation.self, HeartRateControlPoint.self,
    BatteryLevel.self, TransmitPower.self, AlertLevel.self, DateTime.self, DayDateTime.self,
    CurrentTime.self, TemperatureMeasurement.self, IntermediateTemperature.self,
    TemperatureType.self, BloodPressureMeasurement.self, IntermediateCuffPressure.self,
    WeightMeasurement.self, RunningSpeedAndCadence.self, CyclingSpeedAndCadence.self,
    CyclingPower.self, GlucoseMeasurement.self, DeviceName.self, PnPIdentifier.self,
    SystemIdentifier.self, Appearance.self, Temperature.self, Humidity.self, Pressure.self,
]

private func check<Value: CharacteristicValue>(_ value: Value) {
    precondition(!value.description.isEmpty, "a value without words")
    precondition((try? Value(decoding: value.encoded)) == value, "another value comes back")
}
