// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// What an accessory is: all that Lanyard has to know to find it, to get it ready, and to keep it.
///
/// ```swift
/// let strap = AccessoryDescription(
///     kind: "heart rate strap",
///     matching: .service("180D"),
///     services: [ServiceDescription("180D", [.subscribe("2A37"), .read("2A38")])]
/// )
/// ```
public struct AccessoryDescription: Sendable {
    /// What it is called where accessories of several kinds are: in logs, and in the store, by which an
    /// accessory finds back to its description at the next launch. Never change it in an update.
    public var kind: String
    /// Which of the devices around are meant.
    public var matcher: AccessoryMatcher
    /// The services and characteristics that are wanted: only these are discovered.
    public var services: [ServiceDescription]
    /// How long each step may take.
    public var timeouts = AccessoryTimeouts()
    /// Whether it has to be paired before it is ready.
    public var pairing = PairingRequirement.none
    /// Which ends of a link mean that the accessory is out of range and will come back: it is waited for
    /// then, without end.
    public var outOfRange = OutOfRangeRule.standard
    /// Whether the system reconnects by itself where it can (iOS 17, macOS 14 and later; Linux).
    public var systemReconnect = SystemReconnect.whereAvailable
    /// By what a device is known to be the one that it was.
    public var identity = IdentitySource.system
    /// Who goes first where links are few: the greater number.
    public var priority = 0

    /// A description; what it does not say can be set afterwards.
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

/// A service that an accessory has, and what is wanted of it.
public struct ServiceDescription: Hashable, Sendable {
    /// Which service.
    public var identifier: BluetoothID
    /// Which of its characteristics.
    public var characteristics: [CharacteristicDescription]
    /// Whether an accessory without it is none of this kind.
    public var isRequired: Bool

    /// A service with these characteristics.
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

/// A characteristic, and what it is for.
public struct CharacteristicDescription: Hashable, Sendable {
    /// What an application does with a characteristic.
    public enum Role: Hashable, Sendable {
        /// It is read.
        case read
        /// It is written.
        case write
        /// Its values are listened to: the accessory is not ready before it has confirmed that.
        case subscribe
    }

    /// Which characteristic.
    public var identifier: BluetoothID
    /// What it is for.
    public var roles: Set<Role>
    /// Whether an accessory without it is none of this kind.
    public var isRequired: Bool

    /// A characteristic with these roles.
    public init(_ identifier: BluetoothID, _ roles: Set<Role>, isRequired: Bool = true) {
        self.identifier = identifier
        self.roles = roles
        self.isRequired = isRequired
    }

    /// One that is read.
    public static func read(_ identifier: BluetoothID) -> Self { Self(identifier, [.read]) }
    /// One that is written.
    public static func write(_ identifier: BluetoothID) -> Self { Self(identifier, [.write]) }
    /// One whose values are listened to.
    public static func subscribe(_ identifier: BluetoothID) -> Self {
        Self(identifier, [.subscribe])
    }
}

/// How long each step may take before it counts as failed.
public struct AccessoryTimeouts: Hashable, Sendable {
    /// A search for an accessory that is to be paired.
    public var scanning = Duration.seconds(10)
    /// An attempt to connect to one that was just seen. Waiting for one that is out of range has no end.
    public var connecting = Duration.seconds(10)
    /// The discovery of services, and that of characteristics.
    public var discovering = Duration.seconds(10)
    /// Being confirmed all subscriptions. Of an accessory that has to be paired, they may ask a person,
    /// too: they have as long as `pairing` then, if that is longer.
    public var subscribing = Duration.seconds(10)
    /// Reading a protected value, which may ask a person to pair.
    public var pairing = Duration.seconds(60)
    /// Any one read or write of the application's.
    public var requests = Duration.seconds(30)
    /// The end of a link that was asked for.
    public var disconnecting = Duration.seconds(5)

    /// The usual ones.
    public init() {}
}

/// Whether an accessory has to be paired.
public enum PairingRequirement: Hashable, Sendable {
    /// It is ready as soon as it can be used.
    case none
    /// It is ready once this characteristic, which it gives to paired centrals only, could be read: where
    /// that is refused, the system pairs, and may ask a person. Name one that is not subscribed to, too: a
    /// value that it sends by itself cannot be told from the answer.
    case required(probing: BluetoothID)
}

/// Which ends of a link mean *out of range*.
public struct OutOfRangeRule: Hashable, Sendable {
    /// The codes of `CBError` that do. An end without an error is never one.
    public var codes: Set<Int>

    /// These codes.
    public init(_ codes: Set<CBError.Code>) {
        self.codes = Set(codes.map(\.rawValue))
    }

    /// A link that was lost, or ended by the accessory, or could not be made in time.
    public static let standard = OutOfRangeRule([
        .connectionTimeout, .peripheralDisconnected, .connectionFailed,
    ])
}

/// Who makes a link again that was lost.
public enum SystemReconnect: Hashable, Sendable {
    /// The system, where it offers that.
    case whereAvailable
    /// Lanyard, everywhere.
    case never
}

/// By what a device is known to be the one that it was, although its address changes.
public enum IdentitySource: Hashable, Sendable {
    /// The identifier that the system gives it, which lasts for devices that are bonded or whose address
    /// stays.
    case system
    /// An identifier of its own in its manufacturer's data: the octets of a range, counted behind the
    /// company's number.
    case manufacturerData(company: UInt16, range: Range<Int>)
}
