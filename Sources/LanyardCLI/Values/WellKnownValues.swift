// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import Lanyard

/// Decodes values by the UUID of what holds them.
enum WellKnownValues {
    /// The decoded value of a characteristic on one line; nil if its layout is not known here.
    static func describe(
        _ bytes: [UInt8],
        ofCharacteristic uuid: BluetoothUUID
    ) throws(MalformedBytes) -> String? {
        try uuid.short16.flatMap { characteristics[$0] }?.describe(bytes)
    }

    /// The decoded value of a descriptor on one line; nil if its layout is not known here.
    static func describe(
        _ bytes: [UInt8],
        ofDescriptor uuid: BluetoothUUID
    ) throws(MalformedBytes) -> String? {
        try uuid.short16.flatMap { descriptors[$0] }?.describe(bytes)
    }

    /// Whether the layout of a characteristic is known here.
    static func knows(characteristic uuid: BluetoothUUID) -> Bool {
        uuid.short16.map { characteristics[$0] != nil } ?? false
    }

    /// The characteristics that can be decoded.
    static let characteristics = texts.merging(own) { $1 }.merging(typed) { $1 }

    /// The descriptors that can be decoded.
    static let descriptors: [UInt16: ValueLayout] = [
        0x2900: .own(ExtendedProperties.self),
        0x2901: .own(PlainText.self),
        0x2902: .own(ClientCharacteristicConfiguration.self),
        0x2903: .own(ServerCharacteristicConfiguration.self),
        0x2904: .own(PresentationFormat.self),
        0x2908: .own(ReportReference.self),
    ]

    /// The characteristics that are text. What comes over the air is escaped for a terminal.
    static let texts: [UInt16: ValueLayout] = Dictionary(
        uniqueKeysWithValues: [
            0x2A00, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A8A, 0x2A90,
        ].map { ($0, .own(PlainText.self)) }
    )

    /// The characteristics that only a host has to do with.
    private static let own: [UInt16: ValueLayout] = [
        0x2A04: .own(PreferredConnectionParameters.self),
        0x2A05: .own(ServiceChangedRange.self),
        0x2AA6: .own(CentralAddressResolution.self),
    ]

    /// The characteristics that Lanyard has types for.
    private static let typed: [UInt16: ValueLayout] = Dictionary(
        uniqueKeysWithValues: layouts.compactMap { layout in
            layout.characteristic.map { ($0, layout) }
        }
    )

    private static let layouts: [ValueLayout] = [
        .typed(AlertLevel.self), .typed(TransmitPower.self), .typed(BatteryLevel.self),
        .typed(Appearance.self, describe), .typed(PnPIdentifier.self, describe),
        .typed(SystemIdentifier.self), .typed(DateTime.self), .typed(DayDateTime.self),
        .typed(CurrentTime.self), .typed(TemperatureMeasurement.self),
        .typed(IntermediateTemperature.self), .typed(TemperatureType.self),
        .typed(BloodPressureMeasurement.self), .typed(IntermediateCuffPressure.self),
        .typed(HeartRateMeasurement.self), .typed(BodySensorLocation.self),
        .typed(HeartRateControlPoint.self), .typed(RunningSpeedAndCadence.self),
        .typed(CyclingSpeedAndCadence.self), .typed(CyclingPower.self),
        .typed(WeightMeasurement.self), .typed(GlucoseMeasurement.self),
        .typed(Pressure.self), .typed(Temperature.self), .typed(Humidity.self),
    ]

    private static func describe(_ appearance: Appearance) -> String {
        AssignedNumbers.name(ofAppearance: appearance.rawValue) ?? appearance.description
    }

    private static func describe(_ product: PnPIdentifier) -> String {
        guard product.vendorSource == .bluetooth,
            let company = AssignedNumbers.name(ofCompany: product.vendor)
        else { return product.description }
        return product.describe(vendor: company)
    }
}

/// How the octets of a value become a line of text.
struct ValueLayout: Sendable {
    /// The characteristic that has it, if it says so itself.
    let characteristic: UInt16?
    private let text: @Sendable ([UInt8]) throws(MalformedBytes) -> String

    /// A value's text.
    func describe(_ bytes: [UInt8]) throws(MalformedBytes) -> String { try text(bytes) }

    /// That of a value of the command line's own.
    static func own<Value: WellKnownValue>(_ type: Value.Type) -> ValueLayout {
        ValueLayout(characteristic: nil) { (bytes) throws(MalformedBytes) in
            try Value(parsing: bytes).description
        }
    }

    /// That of a value of Lanyard's.
    static func typed<Value: CharacteristicValue>(
        _ type: Value.Type,
        _ describe: @escaping @Sendable (Value) -> String = { $0.description }
    ) -> ValueLayout {
        ValueLayout(characteristic: UInt16(type.identifier.text, radix: 16)) {
            (bytes) throws(MalformedBytes) in
            do throws(ValueError) {
                return describe(try Value(decoding: Data(bytes)))
            } catch {
                throw MalformedBytes(error)
            }
        }
    }
}

extension MalformedBytes {
    /// The same in the words of the layers below.
    init(_ error: ValueError) {
        self =
            switch error {
            case .truncated(let needed, let available):
                .truncated(needed: needed, available: available)
            case .trailing(let count): .trailing(count: count)
            case .invalid(let field): .invalid(field: field)
            }
    }
}
