// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import BluetoothValues
import Foundation

/// Decoders of values by the UUID of their characteristic or descriptor.
enum WellKnownValues {
    /// Returns the decoded value of a characteristic on one line; `nil` if its layout is not known.
    static func describe(
        _ bytes: [UInt8],
        ofCharacteristic uuid: BluetoothUUID
    ) throws(MalformedBytes) -> String? {
        guard let short = uuid.short16 else { return nil }
        if let decoder = characteristics[short] { return try decoder.describe(bytes) }
        guard let layout = layout(of: uuid) else { return nil }
        do throws(ValueError) {
            return layout.describe(try layout.decode(Data(bytes)), text: text)
        } catch {
            throw MalformedBytes(error)
        }
    }

    /// Returns the layout of a characteristic in `BluetoothValues`; `nil` if there is none.
    static func layout(of uuid: BluetoothUUID) -> ValueLayout? {
        BluetoothID(uuid.description).flatMap { ValueLayout(of: $0) }
    }

    /// Returns the text of a field. A text of the peer is escaped for a terminal.
    private static func text(_ value: FieldValue) -> String {
        guard case .text(let text) = value.content else { return value.text }
        return "\"\(TerminalText.escape(text))\""
    }

    /// Returns the decoded value of a descriptor on one line; `nil` if its layout is not known.
    static func describe(
        _ bytes: [UInt8],
        ofDescriptor uuid: BluetoothUUID
    ) throws(MalformedBytes) -> String? {
        try uuid.short16.flatMap { descriptors[$0] }?.describe(bytes)
    }

    /// Returns whether the layout of a characteristic is known.
    static func knows(characteristic uuid: BluetoothUUID) -> Bool {
        guard let short = uuid.short16 else { return false }
        return characteristics[short] != nil
            || BluetoothID(uuid.description).map(ValueLayout.isKnown) ?? false
    }

    /// The decoders of the characteristics that only a host uses, and of those whose values have a
    /// Swift type. Other characteristics may have a layout in `BluetoothValues`.
    static let characteristics = ofHosts.merging(typed) { $1 }

    /// The characteristics for which Lanyard has types.
    private static let typed: [UInt16: ValueDecoder] = Dictionary(
        uniqueKeysWithValues: decoders.compactMap { decoder in
            decoder.characteristic.map { ($0, decoder) }
        }
    )

    private static let decoders: [ValueDecoder] = [
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

/// The conversion of a value's bytes to text.
struct ValueDecoder: Sendable {
    /// The characteristic, if the type names it.
    let characteristic: UInt16?
    private let text: @Sendable ([UInt8]) throws(MalformedBytes) -> String

    /// Returns the text of a value.
    func describe(_ bytes: [UInt8]) throws(MalformedBytes) -> String { try text(bytes) }

    /// Returns the decoder of a value without a type: `text` reads the value and describes it on
    /// one line.
    static func own(
        _ text: @escaping @Sendable (inout ByteReader) throws(MalformedBytes) -> String
    ) -> ValueDecoder {
        ValueDecoder(characteristic: nil) { (bytes) throws(MalformedBytes) in
            var reader = ByteReader(bytes)
            let text = try text(&reader)
            try reader.finish()
            return text
        }
    }

    /// Returns the decoder of a type of Lanyard.
    static func typed<Value: CharacteristicValue>(
        _ type: Value.Type,
        _ describe: @escaping @Sendable (Value) -> String = { $0.description }
    ) -> ValueDecoder {
        ValueDecoder(characteristic: UInt16(type.identifier.text, radix: 16)) {
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
    /// Creates the error that corresponds to an error of `BluetoothValues`.
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

/// The text of an attribute's value: decoded if its layout is known, otherwise in hexadecimal.
enum ValueText {
    /// Returns the value of a characteristic on one line.
    static func describe(_ bytes: [UInt8], ofCharacteristic uuid: BluetoothUUID) -> String {
        describe(bytes) { () throws(MalformedBytes) in
            try WellKnownValues.describe(bytes, ofCharacteristic: uuid)
        }
    }

    /// Returns the value of a descriptor on one line.
    static func describe(_ bytes: [UInt8], ofDescriptor uuid: BluetoothUUID) -> String {
        describe(bytes) { () throws(MalformedBytes) in
            try WellKnownValues.describe(bytes, ofDescriptor: uuid)
        }
    }

    private static func describe(
        _ bytes: [UInt8],
        decode: () throws(MalformedBytes) -> String?
    ) -> String {
        do {
            return try decode() ?? plain(bytes)
        } catch {
            return "\(plain(bytes)) (malformed: \(error))"
        }
    }

    /// Returns bytes without a known layout as hexadecimal digits, with their text beside them if
    /// there are at least `shortestText` bytes and all of the text can be printed.
    static func plain(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "(empty)" }
        guard let text = TerminalText.text(utf8: bytes), bytes.count >= shortestText,
            text.unicodeScalars.allSatisfy(\.isPrintable)
        else { return bytes.hexadecimal }
        return "\(bytes.hexadecimal) \"\(TerminalText.escape(text))\""
    }

    /// The minimum number of bytes that are shown as text. A shorter value is more likely a number.
    private static let shortestText = 3
}
