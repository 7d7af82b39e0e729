// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A characteristic of one accessory that can be read, as its profile declares it.
public struct ReadableValue<Value: Sendable>: Sendable {
    let accessory: Accessory
    let property: Readable<Value>

    /// Reads the value, under the conditions of ``Accessory/read(_:)-(BluetoothID)``.
    ///
    /// - Returns: The decoded value.
    /// - Throws: ``AccessoryError/malformed(_:_:)`` if the bytes are not a valid value;
    ///   ``AccessoryError/unknownCharacteristic(_:)`` if the accessory lacks the characteristic;
    ///   and the other errors of reading bytes.
    public func read() async throws(AccessoryError) -> Value {
        let data = try await accessory.read(property.identifier)
        do {
            return try property.coding.decode(data)
        } catch {
            throw .malformed(property.identifier, error)
        }
    }
}

/// A characteristic of one accessory that can be written, as its profile declares it.
public struct WritableValue<Value: Sendable>: Sendable {
    let accessory: Accessory
    let property: Writable<Value>

    /// Writes a value in a single write, after the writes that already wait.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - kind: The kind of the write.
    /// - Throws: The errors of ``Accessory/write(_:to:as:)``, among them
    ///   ``AccessoryError/unknownCharacteristic(_:)`` if the accessory lacks the characteristic.
    public func write(
        _ value: Value,
        as kind: WriteKind = .automatic
    ) async throws(AccessoryError) {
        try await accessory.write(property.coding.encode(value), to: property.identifier, as: kind)
    }
}

/// The values of a characteristic of one accessory: the values that the accessory sends, and the
/// values that the app reads.
///
/// ```swift
/// for try await beat in strap.measurement { print(beat.rate) }
/// ```
///
/// Each loop has its own subscription, which begins with the loop. The loop continues after the
/// loss of a link, but misses the values that the accessory had before it was connected again. The
/// loop ends when the accessory is forgotten, its central ends, or the task is canceled. It throws
/// ``AccessoryError/malformed(_:_:)`` for bytes that are not a valid value, and
/// ``AccessoryError/unknownCharacteristic(_:)`` if the accessory is found to lack the
/// characteristic, which can happen only if its description does not require it.
///
/// A loop over ``skippingMalformed(_:)`` reports malformed bytes and continues.
public struct SubscribedValues<Value: Sendable>: AsyncSequence, Sendable {
    /// The type of the values.
    public typealias Element = Value
    /// The type of the errors.
    public typealias Failure = AccessoryError

    let accessory: Accessory
    let property: Subscribed<Value>
    var malformed: (@Sendable (Data, ValueError) -> Void)?

    /// Returns the same values, without those that are malformed.
    ///
    /// - Parameter report: A closure that receives the bytes that are not a valid value, with the
    ///   reason. It runs in the task that iterates.
    public func skippingMalformed(
        _ report: @escaping @Sendable (Data, ValueError) -> Void
    ) -> SubscribedValues {
        var copy = self
        copy.malformed = report
        return copy
    }

    /// Subscribes, and returns the iterator for `for try await`.
    public func makeAsyncIterator() -> Iterator {
        let values = Result { () throws(AccessoryError) in
            try accessory.values(of: property.identifier).makeAsyncIterator()
        }
        return Iterator(values: values, sequence: self)
    }

    /// The iterator of the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        var values: Result<Events<Data>.Iterator, AccessoryError>
        let sequence: SubscribedValues

        /// Waits for the next value; `nil` at the end, and if the task is canceled while no value
        /// waits.
        ///
        /// - Throws: ``AccessoryError/malformed(_:_:)``, after which the iterator can still
        ///   be used; ``AccessoryError/unknownCharacteristic(_:)`` if the accessory lacks the
        ///   characteristic.
        public mutating func next() async throws(AccessoryError) -> Value? {
            try await next(isolation: nil)
        }

        /// Waits for the next value, isolated to an actor; `nil` at the end, and if the task is
        /// canceled while no value waits.
        ///
        /// - Throws: ``AccessoryError/malformed(_:_:)``, after which the iterator can still
        ///   be used; ``AccessoryError/unknownCharacteristic(_:)`` if the accessory lacks the
        ///   characteristic.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(AccessoryError) -> Value? {
            var values = try values.get()
            defer { self.values = .success(values) }
            while let data = await values.next(isolation: actor) {
                do throws(ValueError) {
                    return try sequence.property.coding.decode(data)
                } catch {
                    guard let report = sequence.malformed else {
                        throw .malformed(sequence.property.identifier, error)
                    }
                    report(data, error)
                }
            }
            let identifier = sequence.property.identifier
            guard !Task.isCancelled, sequence.accessory.snapshot.lacks(identifier) else {
                return nil
            }
            throw .unknownCharacteristic(identifier)
        }
    }
}
