// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Typed values of characteristics.
extension Accessory {
    /// Reads a typed value.
    ///
    /// ```swift
    /// let level = try await accessory.read(BatteryLevel.self)
    /// ```
    ///
    /// - Throws: The errors of `read(_:)`, and `malformed` if the data is not such
    ///   a value.
    public func read<Value: CharacteristicValue>(
        _ type: Value.Type
    ) async throws(AccessoryError) -> Value {
        let data = try await read(type.identifier)
        do {
            return try Value(decoding: data)
        } catch {
            throw .malformed(type.identifier, error)
        }
    }

    /// Writes a typed value.
    ///
    /// - Throws: The errors of ``write(_:to:as:)``.
    public func write(
        _ value: some CharacteristicValue,
        as kind: WriteKind = .automatic
    ) async throws(AccessoryError) {
        try await write(value.encoded, to: type(of: value).identifier, as: kind)
    }

    /// Returns the typed values of a characteristic, under the conditions of ``values(of:)``.
    ///
    /// ```swift
    /// for await measurement in try accessory.values(of: HeartRateMeasurement.self) {
    ///     print(measurement.rate)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - malformed: A closure that receives data that is not such a value, with the reason.
    /// - Throws: `unknownCharacteristic`, as ``values(of:)`` does.
    public func values<Value: CharacteristicValue>(
        of type: Value.Type,
        malformed: (@Sendable (Data, ValueError) -> Void)? = nil
    ) throws(AccessoryError) -> some AsyncSequence<Value, Never> {
        try values(of: type.identifier).compactMap { data in
            do throws(ValueError) {
                return try Value(decoding: data)
            } catch {
                malformed?(data, error)
                return nil
            }
        }
    }
}
