// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// What this device is as an accessory of others: what it advertises, and what it serves.
///
/// ```swift
/// let box = PublishedAccessory(
///     name: "Box",
///     services: [
///         .messages("FFE0", inbox: "FFE1", outbox: "FFE2"),
///         PublishedService("180A", [.readable("2A29", Data("Lanyard".utf8))]),
///     ]
/// )
/// ```
public struct PublishedAccessory: Hashable, Sendable {
    /// How it is called; as much of it as fits is advertised.
    public var name: String
    /// What it serves.
    public var services: [PublishedService]
    /// Which of the services are advertised; all of them, if nil.
    public var advertised: [BluetoothID]?

    /// An accessory with these services.
    public init(name: String, services: [PublishedService], advertised: [BluetoothID]? = nil) {
        self.name = name
        self.services = services
        self.advertised = advertised
    }

    var advertisement: [String: Any] {
        [
            CBAdvertisementDataLocalNameKey: name,
            CBAdvertisementDataServiceUUIDsKey:
                (advertised ?? services.map(\.identifier)).map(\.cbuuid),
        ]
    }
}

/// A service, and what is in it.
public struct PublishedService: Hashable, Sendable {
    /// Which service.
    public var identifier: BluetoothID
    /// What is in it, in order.
    public var characteristics: [PublishedCharacteristic]

    /// A service with these characteristics.
    public init(_ identifier: BluetoothID, _ characteristics: [PublishedCharacteristic]) {
        self.identifier = identifier
        self.characteristics = characteristics
    }

    /// A service for messages: centrals write theirs to the inbox, and subscribe to the outbox for those of
    /// this side.
    ///
    /// - Parameter isProtected: whether only paired centrals may.
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

/// A characteristic, and what centrals may do with it.
public struct PublishedCharacteristic: Hashable, Sendable {
    /// What a characteristic is for.
    public enum Kind: Hashable, Sendable {
        /// It has a value. Centrals may read it, if `isReadable`, write it, if `isWritable`, and are told
        /// when it changes, if they want to be and it is `isNotifying`.
        case value(Data, isReadable: Bool, isWritable: Bool, isNotifying: Bool)
        /// Messages come in by it; those of this side leave by the other.
        case inbox(outbox: BluetoothID)
        /// Messages leave by it.
        case outbox
    }

    /// Which characteristic.
    public var identifier: BluetoothID
    /// What it is for.
    public var kind: Kind
    /// Whether only paired centrals, over an encrypted link, may use it.
    public var isProtected: Bool

    /// A characteristic of this kind.
    public init(_ identifier: BluetoothID, _ kind: Kind, isProtected: Bool = false) {
        self.identifier = identifier
        self.kind = kind
        self.isProtected = isProtected
    }

    /// One that is read.
    public static func readable(_ identifier: BluetoothID, _ value: Data) -> Self {
        Self(identifier, .value(value, isReadable: true, isWritable: false, isNotifying: false))
    }

    /// One that is read, and tells when it changes.
    public static func notifying(_ identifier: BluetoothID, _ value: Data) -> Self {
        Self(identifier, .value(value, isReadable: true, isWritable: false, isNotifying: true))
    }

    /// One that is read and written.
    public static func writable(_ identifier: BluetoothID, _ value: Data = Data()) -> Self {
        Self(identifier, .value(value, isReadable: true, isWritable: true, isNotifying: false))
    }
}

extension PublishedCharacteristic {
    /// As Core Bluetooth wants it: without a value, so that it asks for that.
    var mutable: CBMutableCharacteristic {
        CBMutableCharacteristic(
            type: identifier.cbuuid,
            properties: properties,
            value: nil,
            permissions: permissions
        )
    }

    private var properties: CBCharacteristicProperties {
        switch kind {
        case .value(_, let isReadable, let isWritable, let isNotifying):
            var properties: CBCharacteristicProperties = []
            if isReadable { properties.insert(.read) }
            if isWritable { properties.insert(.write) }
            if isNotifying { properties.insert(notifying) }
            return properties
        case .inbox: return [.write, .writeWithoutResponse]
        case .outbox: return notifying
        }
    }

    private var notifying: CBCharacteristicProperties {
        isProtected ? .notifyEncryptionRequired : .notify
    }

    private var permissions: CBAttributePermissions {
        isProtected
            ? [.readEncryptionRequired, .writeEncryptionRequired] : [.readable, .writeable]
    }
}
