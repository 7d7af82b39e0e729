// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import Lanyard

/// A characteristic of a virtual accessory, and what it does by itself.
public struct VirtualCharacteristic: Sendable {
    /// What it is.
    public var identifier: BluetoothID
    /// Its value at first; 512 octets at most.
    public var value: [UInt8]

    var properties: GATT.CharacteristicProperties
    var isProtected = false
    var stream: (period: Duration, value: @Sendable (Int) -> [UInt8])?
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

    /// A value that can be read.
    public static func readable(_ identifier: BluetoothID, _ value: [UInt8]) -> Self {
        Self(identifier, .read, value)
    }

    /// A value that can be read and, with and without response, written.
    ///
    /// - Parameter reaction: what becomes of what is written; nil to accept it.
    public static func writable(
        _ identifier: BluetoothID,
        _ value: [UInt8] = [],
        reaction: (@Sendable (_ written: [UInt8]) -> VirtualReaction)? = nil
    ) -> Self {
        var characteristic = Self(identifier, [.read, .write, .writeWithoutResponse], value)
        characteristic.reaction = reaction
        return characteristic
    }

    /// A value that is sent to whoever is subscribed: when the test says so (`LiveAccessory.notify`), or
    /// a reaction does.
    public static func notifying(_ identifier: BluetoothID, _ value: [UInt8] = []) -> Self {
        Self(identifier, [.read, .notify], value)
    }

    /// The same, and each value has to be confirmed.
    public static func indicating(_ identifier: BluetoothID, _ value: [UInt8] = []) -> Self {
        Self(identifier, [.read, .indicate], value)
    }

    /// A value that is sent again and again, from the moment that somebody subscribes.
    ///
    /// - Parameter value: the value of a number, counted from 0.
    public static func notifying(
        _ identifier: BluetoothID,
        every period: Duration,
        _ value: @escaping @Sendable (_ number: Int) -> [UInt8]
    ) -> Self {
        var characteristic = Self(identifier, .notify)
        characteristic.stream = (period, value)
        return characteristic
    }

    /// Whatever is written is sent back.
    public static func echo(_ identifier: BluetoothID) -> Self {
        var characteristic = Self(identifier, [.write, .writeWithoutResponse, .notify])
        characteristic.reaction = { .notifies($0, on: identifier) }
        return characteristic
    }

    // MARK: More of them

    /// Only paired phones may have it.
    public func protected() -> Self {
        var copy = self
        copy.isProtected = true
        return copy
    }

    /// It can be written without response only.
    public func withoutResponse() -> Self {
        var copy = self
        copy.properties.remove(.write)
        copy.properties.insert(.writeWithoutResponse)
        return copy
    }

    /// It can be written with response only.
    public func withResponse() -> Self {
        var copy = self
        copy.properties.remove(.writeWithoutResponse)
        copy.properties.insert(.write)
        return copy
    }

    /// Its value changes by itself as time passes, and who is subscribed is told.
    public func changing(
        every period: Duration,
        _ next: @escaping @Sendable (_ value: [UInt8]) -> [UInt8]
    ) -> Self {
        var copy = self
        copy.change = TimedChange(every: period, next)
        return copy
    }
}

/// What a virtual accessory makes of what is written.
public enum VirtualReaction: Sendable {
    /// It keeps it.
    case accepts
    /// It does not take it, and says why (Vol 3, Part F, 3.4.1.1); where a write wants no response,
    /// nobody is told.
    case refuses(code: UInt8)
    /// It takes it, and sends values of a characteristic to whoever is subscribed.
    case sends([[UInt8]], on: BluetoothID)
    /// It takes it, and ends the link.
    case endsLink

    /// It takes it, and sends one value.
    public static func notifies(_ value: [UInt8], on identifier: BluetoothID) -> Self {
        .sends([value], on: identifier)
    }
}

/// How a value changes by itself.
struct TimedChange: Sendable {
    let period: Duration
    /// The value with which the accessory goes off.
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
