// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import BluetoothValues
import JSONText

/// The measurements that a sensor advertises.
struct SensorBeacon: Equatable, Sendable {
    /// The format of the data.
    enum Format: String, Sendable {
        /// BTHome, version 2, of Home Assistant.
        case bthome = "BTHome"
        /// Data format 3 of Ruuvi.
        case ruuvi3 = "Ruuvi 3"
        /// Data format 5 of Ruuvi.
        case ruuvi5 = "Ruuvi 5"
    }

    /// A measurement: a word, or `mantissa` × 10 to the power of `exponent` in a unit.
    struct Measurement: Equatable, Sendable {
        let name: String
        /// The number; `nil` for a measurement that is a word.
        let number: (mantissa: Int, exponent: Int)?
        /// The word, such as `open`, or the unit of the number.
        let word: String

        init(_ name: String, _ mantissa: Int, _ exponent: Int, _ unit: String) {
            self.name = name
            number = (mantissa, exponent)
            word = unit
        }

        init(_ name: String, _ word: String) {
            self.name = name
            number = nil
            self.word = word
        }

        /// The number in decimal digits with its unit, or the word.
        var text: String {
            guard let digits else { return word }
            return word.isEmpty ? digits : "\(digits) \(word)"
        }

        private var digits: String? {
            number.map { DecimalText.describe($0.mantissa, exponent: $0.exponent) }
        }

        var json: JSON {
            .object([
                .init("name", .string(name)),
                .init("value", .string(digits ?? word)),
                .init("unit", .string(digits == nil ? "" : word)),
            ])
        }

        static func == (one: Self, other: Self) -> Bool {
            one.name == other.name && one.text == other.text
        }
    }

    let format: Format
    /// Whether the measurements are encrypted, and so not known.
    var isEncrypted = false
    var measurements: [Measurement]

    /// The measurements on one line, safe to print.
    var text: String {
        guard !isEncrypted else { return "\(format.rawValue), encrypted" }
        let texts = measurements.map { "\($0.name) \($0.text)" }
        return texts.isEmpty
            ? format.rawValue : "\(format.rawValue) " + texts.joined(separator: ", ")
    }

    var json: JSON {
        .object([
            .init("type", .string(format == .bthome ? "bthome" : "ruuvi")),
            .init("encrypted", .bool(isEncrypted)),
            .init("measurements", .array(measurements.map(\.json))),
        ])
    }
}
