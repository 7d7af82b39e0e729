// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The description of an accessory: everything that the library needs to find it, to make it ready,
/// and to keep it connected.
///
/// ```swift
/// let strap = AccessoryDescription(
///     kind: "heart rate strap",
///     matching: .service("180D"),
///     services: [ServiceDescription("180D", [.subscribe("2A37"), .read("2A38")])]
/// )
/// ```
public struct AccessoryDescription: Sendable {
    /// The name of this kind of accessory, for logs and for the store. At the next launch, the
    /// central finds the description of an accessory by this name. Never change it in an update.
    public var kind: String
    /// The devices that are accessories of this kind.
    public var matcher: AccessoryMatcher
    /// The services and characteristics that the app needs. Others are discovered only if the app
    /// calls ``Accessory/discoverServices()``.
    public var services: [ServiceDescription]
    /// The time limits of the steps.
    public var timeouts = AccessoryTimeouts()
    /// Whether the accessory must be paired before it is ready.
    public var pairing = PairingRequirement.none
    /// The errors of a link or a connection attempt that mean that the accessory is out of range.
    /// If the accessory was ready before, the library then requests a connection without a time
    /// limit.
    public var outOfRange = OutOfRangeRule.standard
    /// The side that reconnects after the loss of a link: by default the system, where it can (iOS
    /// 17, macOS 14 and later; Linux).
    public var systemReconnect = SystemReconnect.whereAvailable
    /// The means by which a device is recognized after its address has changed.
    public var identity = IdentitySource.system
    /// The priority for connection slots when there are too few. A greater number takes precedence.
    public var priority = 0

    /// Creates a description; all other properties have defaults and can be changed.
    ///
    /// - Parameters:
    ///   - kind: The name of this kind of accessory, which never changes in an update.
    ///   - matcher: The rule that selects the accessories of this kind.
    ///   - services: The services and characteristics that the app needs.
    public init(
        kind: String,
        matching matcher: AccessoryMatcher,
        services: [ServiceDescription]
    ) {
        self.kind = kind
        self.matcher = matcher
        self.services = services
    }
}

/// A service of an accessory, and its characteristics that the app needs.
public struct ServiceDescription: Hashable, Sendable {
    /// The UUID of the service.
    public var identifier: BluetoothID
    /// The characteristics that the app needs.
    public var characteristics: [CharacteristicDescription]
    /// Whether the service is required. An accessory that lacks it does not become ready.
    public var isRequired: Bool

    /// Creates a description of a service with these characteristics.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the service.
    ///   - characteristics: The characteristics that the app needs.
    ///   - isRequired: Whether the service is required.
    public init(
        _ identifier: BluetoothID,
        _ characteristics: [CharacteristicDescription],
        isRequired: Bool = true
    ) {
        self.identifier = identifier
        self.characteristics = characteristics
        self.isRequired = isRequired
    }
}

/// A characteristic and its roles.
public struct CharacteristicDescription: Hashable, Sendable {
    /// The use that an app makes of a characteristic.
    public enum Role: Hashable, Sendable {
        /// The app reads it.
        case read
        /// The app writes it.
        case write
        /// The app receives its values. The accessory is ready only after it has confirmed the
        /// subscription.
        case subscribe
    }

    /// The UUID of the characteristic.
    public var identifier: BluetoothID
    /// The uses of the characteristic.
    public var roles: Set<Role>
    /// Whether the characteristic is required. An accessory that has the service but lacks this
    /// characteristic does not become ready.
    public var isRequired: Bool

    /// Creates a description of a characteristic with these roles.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - roles: The uses of the characteristic.
    ///   - isRequired: Whether the characteristic is required.
    public init(_ identifier: BluetoothID, _ roles: Set<Role>, isRequired: Bool = true) {
        self.identifier = identifier
        self.roles = roles
        self.isRequired = isRequired
    }

    /// Returns a description of a characteristic that the app reads.
    ///
    /// - Parameter identifier: The UUID of the characteristic, which is required.
    public static func read(_ identifier: BluetoothID) -> Self { Self(identifier, [.read]) }
    /// Returns a description of a characteristic that the app writes.
    ///
    /// - Parameter identifier: The UUID of the characteristic, which is required.
    public static func write(_ identifier: BluetoothID) -> Self { Self(identifier, [.write]) }
    /// Returns a description of a characteristic whose values the app receives.
    ///
    /// - Parameter identifier: The UUID of the characteristic, which is required.
    public static func subscribe(_ identifier: BluetoothID) -> Self {
        Self(identifier, [.subscribe])
    }
}

/// The time limits after which a step counts as failed.
public struct AccessoryTimeouts: Hashable, Sendable {
    /// The limit of the search for an accessory that is to be paired; 10 seconds by default.
    public var scanning = Duration.seconds(10)
    /// The limit of a connection attempt; 10 seconds by default. A first pairing fails when an
    /// attempt takes longer. A pending connection request has no time limit.
    public var connecting = Duration.seconds(10)
    /// The limit of the discovery of services, and of the discovery of characteristics; 10 seconds
    /// each by default.
    public var discovering = Duration.seconds(10)
    /// The limit of the confirmation of all subscriptions; 10 seconds by default. If the accessory
    /// must be paired, a subscription may also make the system ask a person. The longer of the
    /// limits `subscribing` and `pairing` then applies.
    public var subscribing = Duration.seconds(10)
    /// The limit of the reading of a protected value, for which the system may ask a person to
    /// pair; 60 seconds by default.
    public var pairing = Duration.seconds(60)
    /// The limit of a whole first pairing, from the search to the first time that the accessory is
    /// ready, with all repeated attempts; 90 seconds by default. The limits of the steps apply
    /// within it. If Bluetooth becomes unavailable, the pairing and this limit start over when it
    /// is available again.
    public var firstPairing = Duration.seconds(90)
    /// The limit of a request of the app, such as a read, and of a write that makes no progress; 30
    /// seconds by default.
    public var requests = Duration.seconds(30)
    /// The limit of a disconnection that the app or the library has requested; 5 seconds by
    /// default.
    public var disconnecting = Duration.seconds(5)

    /// Creates the default limits.
    public init() {}
}

/// The pairing that an accessory requires.
public enum PairingRequirement: Hashable, Sendable {
    /// Pairing is not required: the accessory is ready as soon as it is usable.
    case none
    /// The accessory is ready after the library has read this characteristic, which only paired
    /// centrals can read. If the accessory refuses, the system pairs, and may ask a person.
    /// Name a characteristic without a subscription: a value that the accessory sends by itself
    /// cannot be distinguished from the answer.
    case required(probing: BluetoothID)
}

/// The errors of a link or a connection attempt that mean *out of range*.
public struct OutOfRangeRule: Hashable, Sendable {
    /// The codes of `CBError` that mean *out of range*. The end of a link without an error never
    /// means *out of range*.
    public var codes: Set<Int>

    /// Creates a rule from these codes.
    ///
    /// - Parameter codes: The codes of `CBError` that mean *out of range*.
    public init(codes: Set<Int>) {
        self.codes = codes
    }

    /// The standard rule: the link was lost (`connectionTimeout`), the accessory ended it
    /// (`peripheralDisconnected`), or it could not be made (`connectionFailed`).
    public static let standard = OutOfRangeRule(codes: [6, 7, 10])
}

/// The side that reconnects after the loss of a link.
public enum SystemReconnect: Hashable, Sendable {
    /// The system, if it can reconnect by itself.
    case whereAvailable
    /// The library, on all systems.
    case never
}

/// The means by which a device is recognized although its address changes.
public enum IdentitySource: Hashable, Sendable {
    /// The identifier that the system assigns. It is permanent for a bonded device, and for a
    /// device with a fixed address.
    case system
    /// An identifier in the device's manufacturer data: the bytes in this range, counted after the
    /// company identifier.
    case manufacturerData(company: UInt16, range: Range<Int>)
}
