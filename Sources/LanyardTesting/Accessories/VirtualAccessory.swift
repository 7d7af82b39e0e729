// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard

/// The description of an accessory for a test: its name, its services and its behavior.
///
/// ```swift
/// extension VirtualAccessory {
///     static let strap = VirtualAccessory(
///         "Strap",
///         services: [
///             VirtualService("180D", [
///                 .notifying("2A37", every: .seconds(1)) { beat in
///                     [0x06, UInt8(60 + beat % 40)]
///                 },
///                 .readable("2A38", [0x01]),
///             ]),
///             .battery(80, losing: 1, every: .seconds(300)),
///         ]
///     )
/// }
/// ```
///
/// `TestWorld.add(_:at:)` creates a `LiveAccessory` from it, any number of times.
public struct VirtualAccessory: Sendable {
    /// The address from which an accessory advertises.
    public enum Address: Hashable, Sendable {
        /// One static address, which follows from the world's seed and differs between accessories.
        case fixed
        /// A private address that changes after each period. A bonded phone recognizes the
        /// accessory. Other phones treat it as another device after each change.
        case rotating(every: Duration)
    }

    /// The pairing behavior of an accessory. An accessory with digits pairs without them if the
    /// phone shows no dialogs (``TestPhone/pairingAnswer-swift.property``).
    public enum Pairing: Hashable, Sendable {
        /// The accessory pairs as with `withoutQuestions` if a characteristic is protected, and
        /// refuses pairing otherwise.
        case automatic
        /// The accessory refuses pairing.
        case refused
        /// The accessory pairs with every phone, without digits (Just Works).
        case withoutQuestions
        /// The accessory displays six digits, which the user enters on the phone.
        case showingDigits
        /// Both devices display six digits, which the user compares.
        case comparingDigits
    }

    /// The name of the accessory.
    public var name: String
    /// The services.
    public var services: [VirtualService]
    /// The services to advertise, as far as they fit; `nil` for all primary services.
    public var advertisedServices: [BluetoothID]?
    /// The manufacturer data: the company identifier with its low byte first, followed by any
    /// bytes; `nil` for none.
    public var manufacturerData: [UInt8]?
    /// The advertising interval.
    public var advertisingInterval: Duration
    /// The address from which the accessory advertises.
    public var address: Address
    /// The pairing behavior.
    public var pairing: Pairing

    /// Creates the description of an accessory. The accessory also has the services that every
    /// device has, such as the one for its name.
    public init(
        _ name: String,
        services: [VirtualService],
        advertisedServices: [BluetoothID]? = nil,
        manufacturerData: [UInt8]? = nil,
        advertisingInterval: Duration = .milliseconds(100),
        address: Address = .fixed,
        pairing: Pairing = .automatic
    ) {
        self.name = name
        self.services = services
        self.advertisedServices = advertisedServices
        self.manufacturerData = manufacturerData
        self.advertisingInterval = advertisingInterval
        self.address = address
        self.pairing = pairing
    }

    /// Returns a copy with changes: `.strap.with { $0.name = "Left" }`.
    public func with(_ change: (inout VirtualAccessory) -> Void) -> VirtualAccessory {
        var copy = self
        change(&copy)
        return copy
    }
}

/// A service of a virtual accessory.
public struct VirtualService: Sendable {
    /// The UUID of the service.
    public var identifier: BluetoothID
    /// The characteristics of the service.
    public var characteristics: [VirtualCharacteristic]
    var includes: [BluetoothID] = []
    var isPrimary = true
    var messages: VirtualMessages?

    /// Creates a service with these characteristics.
    public init(_ identifier: BluetoothID, _ characteristics: [VirtualCharacteristic]) {
        self.identifier = identifier
        self.characteristics = characteristics
    }

    /// Returns a copy that includes other services, which must precede it in the accessory.
    ///
    /// - Parameter services: The UUIDs of the included services.
    public func including(_ services: BluetoothID...) -> VirtualService {
        var copy = self
        copy.includes += services
        return copy
    }

    /// Returns a copy that is a secondary service: clients find it only through a service that
    /// includes it.
    public func secondary() -> VirtualService {
        var copy = self
        copy.isPrimary = false
        return copy
    }

    /// Returns a Battery Service with a level in percent. If `loss` is greater than 0, the level
    /// falls by `loss` after each period, and the accessory switches itself off at 0.
    public static func battery(
        _ level: Int,
        losing loss: Int = 0,
        every period: Duration = .seconds(60)
    ) -> VirtualService {
        let level = UInt8(clamping: min(level, 100))
        var characteristic = VirtualCharacteristic("2A19", [.read, .notify], [level])
        if loss > 0 {
            characteristic.change = TimedChange(every: period, switchesOffAt: [0]) { value in
                [UInt8(clamping: Int(value.first ?? 0) - loss)]
            }
        }
        return VirtualService("180F", [characteristic])
    }
}
