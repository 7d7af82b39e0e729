// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Values as types instead of octets.
extension Accessory {
    /// Reads a value.
    ///
    /// ```swift
    /// let level = try await accessory.read(BatteryLevel.self)
    /// ```
    ///
    /// - Throws: what `read(_:)` of its characteristic throws, and `malformed` if what the accessory has is
    ///   no such value.
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

    /// Writes a value.
    ///
    /// - Throws: what `write(_:to:as:)` throws.
    public func write(
        _ value: some CharacteristicValue,
        as kind: WriteKind = .automatic
    ) async throws(AccessoryError) {
        try await write(value.encoded, to: type(of: value).identifier, as: kind)
    }

    /// The values of a characteristic as they come, on the terms of `values(of:)`.
    ///
    /// ```swift
    /// for await measurement in accessory.values(of: HeartRateMeasurement.self) {
    ///     print(measurement.rate)
    /// }
    /// ```
    ///
    /// - Parameter malformed: is told of what came and is no such value, in its place; nobody is if nil.
    public func values<Value: CharacteristicValue>(
        of type: Value.Type,
        malformed: (@Sendable (Data, ValueError) -> Void)? = nil
    ) -> some AsyncSequence<Value, Never> {
        values(of: type.identifier).compactMap { data in
            do throws(ValueError) {
                return try Value(decoding: data)
            } catch {
                malformed?(data, error)
                return nil
            }
        }
    }
}
