// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A value whose layout the SIG defined, decoded from the octets of its characteristic or
/// descriptor, and printable on one line.
///
/// What does not have the defined layout is refused, not guessed at. Descriptions are safe to
/// print: what came over the air is escaped in them.
protocol WellKnownValue: Equatable, Sendable, CustomStringConvertible {
    /// Decodes the value; whoever calls checks that nothing is left over.
    init(from reader: inout ByteReader) throws(MalformedBytes)
}

extension WellKnownValue {
    /// Decodes a value that is all of `bytes`.
    init(parsing bytes: [UInt8]) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }
}

/// Decodes values by the UUID of what holds them.
enum WellKnownValues {
    /// The decoded value of a characteristic on one line; nil if its layout is not known here.
    static func describe(
        _ bytes: [UInt8],
        ofCharacteristic uuid: BluetoothUUID
    ) throws(MalformedBytes) -> String? {
        try describe(bytes, as: uuid.short16.flatMap { characteristics[$0] })
    }

    /// The decoded value of a descriptor on one line; nil if its layout is not known here.
    static func describe(
        _ bytes: [UInt8],
        ofDescriptor uuid: BluetoothUUID
    ) throws(MalformedBytes) -> String? {
        try describe(bytes, as: uuid.short16.flatMap { descriptors[$0] })
    }

    /// Whether the layout of a characteristic is known here.
    static func knows(characteristic uuid: BluetoothUUID) -> Bool {
        uuid.short16.map { characteristics[$0] != nil } ?? false
    }

    private static func describe(
        _ bytes: [UInt8],
        as type: (any WellKnownValue.Type)?
    ) throws(MalformedBytes) -> String? {
        guard let type else { return nil }
        return try type.init(parsing: bytes).description
    }

    /// The characteristics that can be decoded.
    static let characteristics: [UInt16: any WellKnownValue.Type] = [
        0x2A00: PlainText.self,
        0x2A01: Appearance.self,
        0x2A04: PreferredConnectionParameters.self,
        0x2A05: ServiceChangedRange.self,
        0x2A06: AlertLevel.self,
        0x2A07: TransmitPowerLevel.self,
        0x2A08: DateTime.self,
        0x2A19: BatteryLevel.self,
        0x2A1C: TemperatureMeasurement.self,
        0x2A1D: TemperatureType.self,
        0x2A1E: TemperatureMeasurement.self,
        0x2A23: SystemIdentifier.self,
        0x2A24: PlainText.self,
        0x2A25: PlainText.self,
        0x2A26: PlainText.self,
        0x2A27: PlainText.self,
        0x2A28: PlainText.self,
        0x2A29: PlainText.self,
        0x2A2B: CurrentTime.self,
        0x2A35: BloodPressureMeasurement.self,
        0x2A36: BloodPressureMeasurement.self,
        0x2A37: HeartRateMeasurement.self,
        0x2A38: BodySensorLocation.self,
        0x2A50: PnPIdentifier.self,
        0x2A53: RunningMeasurement.self,
        0x2A5B: CyclingMeasurement.self,
        0x2A6D: Pressure.self,
        0x2A6E: Temperature.self,
        0x2A6F: Humidity.self,
        0x2A8A: PlainText.self,
        0x2A90: PlainText.self,
        0x2AA6: CentralAddressResolution.self,
    ]

    /// The descriptors that can be decoded.
    static let descriptors: [UInt16: any WellKnownValue.Type] = [
        0x2900: ExtendedProperties.self,
        0x2901: PlainText.self,
        0x2902: ClientCharacteristicConfiguration.self,
        0x2903: ServerCharacteristicConfiguration.self,
        0x2904: PresentationFormat.self,
        0x2908: ReportReference.self,
    ]
}
