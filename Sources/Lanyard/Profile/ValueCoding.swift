// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The conversion between the bytes of a characteristic and a type.
///
/// Most declarations need no conversion of their own, because the initializers of
/// ``CharacteristicProperty`` choose one by the type. An app creates one for another layout:
///
/// ```swift
/// let brightness = Writable(
///     "2A56",
///     coding: ValueCoding(
///         decode: { data throws(ValueError) in try Percentage(data) },
///         encode: { $0.bytes }
///     )
/// )
/// ```
public struct ValueCoding<Value: Sendable>: Sendable {
    let decode: @Sendable (Data) throws(ValueError) -> Value
    let encode: @Sendable (Value) -> Data

    /// Creates a conversion.
    ///
    /// - Parameters:
    ///   - decode: A closure that returns the value of the bytes, or throws the reason why they are
    ///     not a valid value.
    ///   - encode: A closure that returns the bytes of a value.
    public init(
        decode: @escaping @Sendable (Data) throws(ValueError) -> Value,
        encode: @escaping @Sendable (Value) -> Data
    ) {
        self.decode = decode
        self.encode = encode
    }
}

/// A property of a profile that declares one use of a characteristic: ``Readable``, ``Writable`` or
/// ``Subscribed``.
public protocol CharacteristicProperty<Value>: Sendable {
    /// The type of the characteristic's value.
    associatedtype Value: Sendable

    /// Declares a use of a characteristic.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - service: The UUID of its service; `nil` for the main service of the profile.
    ///   - isRequired: Whether an accessory needs the characteristic to become ready. If it is not
    ///     required, its use throws ``AccessoryError/unknownCharacteristic(_:)`` on an accessory
    ///     without it.
    ///   - coding: The conversion between bytes and values.
    init(
        _ identifier: BluetoothID,
        in service: BluetoothID?,
        isRequired: Bool,
        coding: ValueCoding<Value>
    )
}

extension CharacteristicProperty {
    /// Declares a use of a required characteristic in the main service of the profile.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - coding: The conversion between bytes and values.
    public init(_ identifier: BluetoothID, coding: ValueCoding<Value>) {
        self.init(identifier, in: nil, isRequired: true, coding: coding)
    }
}

extension CharacteristicProperty where Value: CharacteristicValue {
    /// Declares a use of a characteristic with a typed value.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic; by default that of the type.
    ///   - service: The UUID of its service; `nil` for the main service of the profile.
    ///   - isRequired: Whether an accessory needs the characteristic to become ready.
    public init(
        _ identifier: BluetoothID = Value.identifier,
        in service: BluetoothID? = nil,
        isRequired: Bool = true
    ) {
        let coding = ValueCoding<Value>(
            decode: { data throws(ValueError) in try Value(decoding: data) },
            encode: { $0.encoded }
        )
        self.init(identifier, in: service, isRequired: isRequired, coding: coding)
    }
}

extension CharacteristicProperty where Value == Data {
    /// Declares a use of a characteristic whose value is arbitrary bytes.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - service: The UUID of its service; `nil` for the main service of the profile.
    ///   - isRequired: Whether an accessory needs the characteristic to become ready.
    public init(
        _ identifier: BluetoothID,
        in service: BluetoothID? = nil,
        isRequired: Bool = true
    ) {
        let coding = ValueCoding<Data>(
            decode: { data throws(ValueError) in data },
            encode: { $0 }
        )
        self.init(identifier, in: service, isRequired: isRequired, coding: coding)
    }
}

extension CharacteristicProperty where Value == String {
    /// Declares a use of a characteristic whose value is text in UTF-8.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - service: The UUID of its service; `nil` for the main service of the profile.
    ///   - isRequired: Whether an accessory needs the characteristic to become ready.
    public init(
        _ identifier: BluetoothID,
        in service: BluetoothID? = nil,
        isRequired: Bool = true
    ) {
        let coding = ValueCoding<String>(
            decode: { data throws(ValueError) in
                guard let text = String(data: data, encoding: .utf8) else {
                    throw .invalid(field: "text")
                }
                return text
            },
            encode: { Data($0.utf8) }
        )
        self.init(identifier, in: service, isRequired: isRequired, coding: coding)
    }
}

extension CharacteristicProperty where Value: FixedWidthInteger {
    /// Declares a use of a characteristic whose value is an integer in little-endian order.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - service: The UUID of its service; `nil` for the main service of the profile.
    ///   - isRequired: Whether an accessory needs the characteristic to become ready.
    public init(
        _ identifier: BluetoothID,
        in service: BluetoothID? = nil,
        isRequired: Bool = true
    ) {
        let coding = ValueCoding<Value>(
            decode: { data throws(ValueError) in try Value(lowByteFirst: data) },
            encode: { value in
                withUnsafeBytes(of: value.littleEndian) { Data($0) }
            }
        )
        self.init(identifier, in: service, isRequired: isRequired, coding: coding)
    }
}

extension FixedWidthInteger {
    fileprivate init(lowByteFirst data: Data) throws(ValueError) {
        let size = Self.bitWidth / 8
        guard data.count >= size else { throw .truncated(needed: size, available: data.count) }
        guard data.count == size else { throw .trailing(count: data.count - size) }
        self = data.reversed().reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}
