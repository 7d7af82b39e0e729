// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The description of this device as an accessory: its advertising and its services.
///
/// ```swift
/// let box = PublishedAccessory(
///     name: "Box",
///     services: [
///         .messages("FFE0", inbox: "FFE1", outbox: "FFE2"),
///         PublishedService("181A", [.readable("2A6E", Data([0x34, 0x08]))]),
///     ]
/// )
/// ```
public struct PublishedAccessory: Hashable, Sendable {
    /// The name of the accessory; the advertisement contains as much of it as fits.
    public var name: String
    /// The services.
    public var services: [PublishedService]
    /// The services in the advertisement; all services if `nil`.
    public var advertised: [BluetoothID]?

    /// Creates an accessory with these services.
    ///
    /// - Parameters:
    ///   - name: The name of the accessory. The advertisement contains as much of it as fits.
    ///   - services: The services to publish.
    ///   - advertised: The services in the advertisement; all services if `nil`.
    public init(name: String, services: [PublishedService], advertised: [BluetoothID]? = nil) {
        self.name = name
        self.services = services
        self.advertised = advertised
    }
}

/// A service with its characteristics.
///
/// The system reserves some services and refuses to publish them, among them Device Information
/// (180A), Battery (180F), Current Time (1805) and Human Interface Device (1812). The accessory is
/// then not advertised, and ``PeripheralEvent/failed(_:)`` reports the reason.
public struct PublishedService: Hashable, Sendable {
    /// The UUID of the service.
    public var identifier: BluetoothID
    /// The characteristics, in order.
    public var characteristics: [PublishedCharacteristic]

    /// Creates a service with these characteristics.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the service.
    ///   - characteristics: The characteristics, in order.
    public init(_ identifier: BluetoothID, _ characteristics: [PublishedCharacteristic]) {
        self.identifier = identifier
        self.characteristics = characteristics
    }

    /// Returns a service for messages: centrals write their messages to the inbox, and subscribe to
    /// the outbox for the messages of this device.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the service.
    ///   - inbox: The UUID of the characteristic that centrals write.
    ///   - outbox: The UUID of the characteristic that notifies centrals.
    ///   - isProtected: Whether only paired centrals may use the characteristics.
    public static func messages(
        _ identifier: BluetoothID,
        inbox: BluetoothID,
        outbox: BluetoothID,
        isProtected: Bool = false
    ) -> PublishedService {
        PublishedService(
            identifier,
            [
                PublishedCharacteristic(inbox, .inbox(outbox: outbox), isProtected: isProtected),
                PublishedCharacteristic(outbox, .outbox, isProtected: isProtected),
            ]
        )
    }
}

/// A characteristic and the operations that it permits.
public struct PublishedCharacteristic: Hashable, Sendable {
    /// The purpose of a characteristic.
    public enum Kind: Hashable, Sendable {
        /// A characteristic with a value. Centrals can read it if `isReadable`, write it if
        /// `isWritable`, and subscribe to its changes if `isNotifying`.
        case value(Data, isReadable: Bool, isWritable: Bool, isNotifying: Bool)
        /// A characteristic whose value is computed whenever a central reads it. Centrals can
        /// subscribe to the values that ``AccessoryPeripheral/send(_:of:to:)`` sends if
        /// `isNotifying`.
        case computed(ComputedValue, isNotifying: Bool)
        /// A characteristic that receives messages. This device sends its own messages through the
        /// outbox.
        case inbox(outbox: BluetoothID)
        /// A characteristic that sends messages.
        case outbox
    }

    /// The UUID of the characteristic.
    public var identifier: BluetoothID
    /// The purpose of the characteristic.
    public var kind: Kind
    /// Whether only paired centrals may use it, over an encrypted link.
    public var isProtected: Bool
    /// Whether values are sent in indications, which centrals confirm, instead of notifications.
    public var isIndicated = false

    /// Creates a characteristic of this kind.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - kind: The purpose of the characteristic.
    ///   - isProtected: Whether only paired centrals may use it, over an encrypted link.
    public init(_ identifier: BluetoothID, _ kind: Kind, isProtected: Bool = false) {
        self.identifier = identifier
        self.kind = kind
        self.isProtected = isProtected
    }

    /// Returns a copy that only paired centrals may use, over an encrypted link.
    public func protected() -> Self {
        var copy = self
        copy.isProtected = true
        return copy
    }

    /// Returns a characteristic that centrals can read.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - value: The initial value. Bytes beyond 512 are cut off.
    public static func readable(_ identifier: BluetoothID, _ value: Data) -> Self {
        Self(identifier, .value(value, isReadable: true, isWritable: false, isNotifying: false))
    }

    /// Returns a characteristic that centrals can read and subscribe to.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - value: The initial value. Bytes beyond 512 are cut off.
    public static func notifying(_ identifier: BluetoothID, _ value: Data) -> Self {
        Self(identifier, .value(value, isReadable: true, isWritable: false, isNotifying: true))
    }

    /// Returns a characteristic that centrals can read and subscribe to. Each central confirms each
    /// value (Vol 3, Part G, 4.11).
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - value: The initial value. Bytes beyond 512 are cut off.
    public static func indicating(_ identifier: BluetoothID, _ value: Data) -> Self {
        var characteristic = notifying(identifier, value)
        characteristic.isIndicated = true
        return characteristic
    }

    /// Returns a characteristic whose value is computed whenever a central reads it.
    ///
    /// ```swift
    /// .computed("2A2B") { _ in CurrentTime.now.encoded }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - isNotifying: Whether centrals can subscribe to it.
    ///   - body: A closure that receives the identifier of the central, and returns the value; see
    ///     ``ComputedValue``.
    public static func computed(
        _ identifier: BluetoothID,
        isNotifying: Bool = false,
        _ body: @escaping @Sendable (_ central: UUID) async throws -> Data
    ) -> Self {
        Self(identifier, .computed(ComputedValue(body), isNotifying: isNotifying))
    }

    /// Returns a characteristic that centrals can read and write, with response.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - value: The initial value. Bytes beyond 512 are cut off.
    public static func writable(_ identifier: BluetoothID, _ value: Data = Data()) -> Self {
        Self(identifier, .value(value, isReadable: true, isWritable: true, isNotifying: false))
    }
}

extension PublishedCharacteristic {
    /// Whether `AccessoryPeripheral.send` can send values of it.
    var sendsValues: Bool {
        switch kind {
        case .value(_, _, _, let isNotifying), .computed(_, let isNotifying): isNotifying
        case .inbox, .outbox: false
        }
    }

    /// The operations that the characteristic permits.
    package var uses: CharacteristicUses {
        let sending: CharacteristicUses = isIndicated ? .indicate : .notify
        switch kind {
        case .value(_, let isReadable, let isWritable, let isNotifying):
            var uses: CharacteristicUses = []
            if isReadable { uses.insert(.read) }
            if isWritable { uses.insert(.write) }
            if isNotifying { uses.insert(sending) }
            return uses
        case .computed(_, let isNotifying): return isNotifying ? [.read, sending] : .read
        case .inbox: return [.write, .writeWithoutResponse]
        case .outbox: return sending
        }
    }
}
