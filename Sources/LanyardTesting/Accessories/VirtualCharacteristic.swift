// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import Lanyard
import VirtualAccessories

/// A characteristic of a virtual accessory, and its behavior.
public struct VirtualCharacteristic: Sendable {
    /// The UUID of the characteristic.
    public var identifier: BluetoothID
    /// The initial value: at most 512 bytes.
    public var value: [UInt8]

    var properties: GATT.CharacteristicProperties
    var isProtected = false
    var text: String?
    var stream: ValueStream?
    var reaction: (@Sendable ([UInt8]) -> VirtualReaction)?
    var change: TimedChange?

    init(
        _ identifier: BluetoothID,
        _ properties: GATT.CharacteristicProperties,
        _ value: [UInt8] = []
    ) {
        self.identifier = identifier
        self.properties = properties
        self.value = value
    }

    // MARK: Kinds

    /// Returns a characteristic that can be read.
    public static func readable(_ identifier: BluetoothID, _ value: [UInt8]) -> Self {
        Self(identifier, .read, value)
    }

    /// Returns a characteristic that can be read, and written with or without response.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - value: The initial value.
    ///   - reaction: A closure that decides on a written value; `nil` to accept every value.
    public static func writable(
        _ identifier: BluetoothID,
        _ value: [UInt8] = [],
        reaction: (@Sendable (_ written: [UInt8]) -> VirtualReaction)? = nil
    ) -> Self {
        var characteristic = Self(identifier, [.read, .write, .writeWithoutResponse], value)
        characteristic.reaction = reaction
        return characteristic
    }

    /// Returns a characteristic that can be read and notified. The test sends values with
    /// `LiveAccessory.notify`, or a reaction sends them.
    public static func notifying(_ identifier: BluetoothID, _ value: [UInt8] = []) -> Self {
        Self(identifier, [.read, .notify], value)
    }

    /// Returns a characteristic that can be read and indicated, so the client confirms each value.
    public static func indicating(_ identifier: BluetoothID, _ value: [UInt8] = []) -> Self {
        Self(identifier, [.read, .indicate], value)
    }

    /// Returns a control point: a characteristic that is written with response, and answers with
    /// indications.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - reaction: A closure that decides on a written command. `.sends(_:on:)` with the same
    ///     UUID answers the command.
    public static func controlPoint(
        _ identifier: BluetoothID,
        reaction: @escaping @Sendable (_ written: [UInt8]) -> VirtualReaction
    ) -> Self {
        var characteristic = Self(identifier, [.write, .indicate])
        characteristic.reaction = reaction
        return characteristic
    }

    /// Returns a characteristic that sends values periodically from the moment when a phone
    /// subscribes.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - period: The time between two values.
    ///   - value: A closure that returns the value with this number. The first value has the number
    ///     0.
    public static func notifying(
        _ identifier: BluetoothID,
        every period: Duration,
        _ value: @escaping @Sendable (_ number: Int) -> [UInt8]
    ) -> Self {
        var characteristic = Self(identifier, .notify)
        characteristic.stream = ValueStream(every: period, value: value)
        return characteristic
    }

    /// Returns a characteristic that notifies every written value.
    public static func echo(_ identifier: BluetoothID) -> Self {
        var characteristic = Self(identifier, [.write, .writeWithoutResponse, .notify])
        characteristic.reaction = { .notifies($0, on: identifier) }
        return characteristic
    }

    // MARK: Modifiers

    /// Returns a copy that requires an encrypted link, so that only paired phones can use it.
    public func protected() -> Self {
        var copy = self
        copy.isProtected = true
        return copy
    }

    /// Returns a copy with a Characteristic User Description (2901).
    ///
    /// - Parameter text: The text of the descriptor.
    public func described(as text: String) -> Self {
        var copy = self
        copy.text = text
        return copy
    }

    /// Returns a copy that can be written only without response.
    public func withoutResponse() -> Self {
        var copy = self
        copy.properties.remove(.write)
        copy.properties.insert(.writeWithoutResponse)
        return copy
    }

    /// Returns a copy that can be written only with response.
    public func withResponse() -> Self {
        var copy = self
        copy.properties.remove(.writeWithoutResponse)
        copy.properties.insert(.write)
        return copy
    }

    /// Returns a copy whose value changes periodically, with a notification to a subscribed phone.
    public func changing(
        every period: Duration,
        _ next: @escaping @Sendable (_ value: [UInt8]) -> [UInt8]
    ) -> Self {
        var copy = self
        copy.change = TimedChange(every: period, next)
        return copy
    }
}

/// The reaction of a virtual accessory to a write.
public enum VirtualReaction: Sendable {
    /// Accepts the value.
    case accepts
    /// Refuses the value with an error code (Vol 3, Part F, 3.4.1.1). The phone gets no error for a
    /// write without response.
    case refuses(code: UInt8)
    /// Accepts the value, and sends values of a characteristic to a subscribed phone.
    case sends([[UInt8]], on: BluetoothID)
    /// Accepts the value, and disconnects.
    case endsLink

    /// Accepts the value, and sends one value of a characteristic.
    public static func notifies(_ value: [UInt8], on identifier: BluetoothID) -> Self {
        .sends([value], on: identifier)
    }
}

/// A periodic change of a value.
struct TimedChange: Sendable {
    let period: Duration
    /// The value at which the accessory switches itself off.
    let last: [UInt8]?
    let next: @Sendable ([UInt8]) -> [UInt8]

    init(
        every period: Duration,
        switchesOffAt last: [UInt8]? = nil,
        _ next: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.period = max(period, .milliseconds(1))
        self.last = last
        self.next = next
    }
}
