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
    /// - Parameter type: The type of the value, which names the characteristic.
    /// - Returns: The decoded value.
    /// - Throws: ``AccessoryError/malformed(_:_:)`` if the data is not a valid value of this type,
    ///   and the errors of reading data: ``AccessoryError/notConnected``,
    ///   ``AccessoryError/unknownCharacteristic(_:)``, ``AccessoryError/notPermitted(_:)``,
    ///   ``AccessoryError/refused(code:text:)``, ``AccessoryError/linkEnded``,
    ///   ``AccessoryError/servicesChanged``, ``AccessoryError/tooManyRequests(limit:)``,
    ///   ``AccessoryError/requestTimedOut(after:)`` after ``AccessoryTimeouts/requests``,
    ///   ``AccessoryError/shutDown`` and ``AccessoryError/cancelled``.
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

    /// Writes a typed value in a single write, after the writes that already wait.
    ///
    /// - Parameters:
    ///   - value: The value, whose type names the characteristic.
    ///   - kind: The kind of the write.
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
    ///   - type: The type of the values, which names the characteristic.
    ///   - malformed: A closure that receives data that is not a valid value, with the reason. The
    ///     task that iterates over the sequence calls the closure.
    /// - Returns: The decoded values from now on, for one loop.
    /// - Throws: ``AccessoryError/unknownCharacteristic(_:)`` if the accessory's description does
    ///   not declare the characteristic, or the accessory's latest discovery did not find it.
    public func values<Value: CharacteristicValue>(
        of type: Value.Type,
        malformed: (@Sendable (Data, ValueError) -> Void)? = nil
    ) throws(AccessoryError) -> AsyncCompactMapSequence<Events<Data>, Value> {
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
