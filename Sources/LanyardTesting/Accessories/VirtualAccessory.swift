// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard

/// An accessory for a test: what it is called, what it serves, and how it behaves by itself.
///
/// ```swift
/// extension VirtualAccessory {
///     static let strap = VirtualAccessory(
///         "Strap",
///         services: [
///             VirtualService("180D", [
///                 .notifying("2A37", every: .seconds(1)) { beat in [0x06, UInt8(60 + beat % 40)] },
///                 .readable("2A38", [0x01]),
///             ]),
///             .battery(80, losing: 1, every: .seconds(300)),
///         ]
///     )
/// }
/// ```
///
/// It is only a description: `TestWorld.add(_:at:)` makes a `LiveAccessory` of it, as often as wanted.
public struct VirtualAccessory: Sendable {
    /// From which address it advertises.
    public enum Address: Hashable, Sendable {
        /// Always the same one, of its own in each world.
        case fixed
        /// A private one, and another after each such time. Who is bonded to it knows it again; everybody
        /// else takes it for another device.
        case rotating(every: Duration)
    }

    /// How it pairs.
    public enum Pairing: Hashable, Sendable {
        /// It tells whoever asks that it does not.
        case none
        /// With whoever asks, and nobody is asked (Just Works).
        case withoutQuestions
        /// It shows six digits, which are to be entered at the phone.
        case showingDigits
        /// Six digits that both show are to be compared.
        case comparingDigits
    }

    /// How it is called.
    public var name: String
    /// What it serves.
    public var services: [VirtualService]
    /// Which services it advertises; nil for all of them, as far as they fit.
    public var advertisedServices: [BluetoothID]?
    /// What it says beside: the company's number, low octet first, and whatever follows.
    public var manufacturerData: [UInt8]?
    /// How often it advertises.
    public var advertisingInterval: Duration
    /// From which address.
    public var address: Address
    /// How it pairs; nil: `withoutQuestions` if anything of it is protected, and else not at all.
    public var pairing: Pairing?

    /// An accessory. It serves what every device has beside (its name and the like).
    public init(
        _ name: String,
        services: [VirtualService],
        advertisedServices: [BluetoothID]? = nil,
        manufacturerData: [UInt8]? = nil,
        advertisingInterval: Duration = .milliseconds(100),
        address: Address = .fixed,
        pairing: Pairing? = nil
    ) {
        self.name = name
        self.services = services
        self.advertisedServices = advertisedServices
        self.manufacturerData = manufacturerData
        self.advertisingInterval = advertisingInterval
        self.address = address
        self.pairing = pairing
    }

    /// The same with something changed: `.strap.with { $0.name = "Left" }`.
    public func with(_ change: (inout VirtualAccessory) -> Void) -> VirtualAccessory {
        var copy = self
        change(&copy)
        return copy
    }
}

/// A service of a virtual accessory.
public struct VirtualService: Sendable {
    /// What it is.
    public var identifier: BluetoothID
    /// What is in it.
    public var characteristics: [VirtualCharacteristic]

    /// A service with these characteristics.
    public init(_ identifier: BluetoothID, _ characteristics: [VirtualCharacteristic]) {
        self.identifier = identifier
        self.characteristics = characteristics
    }

    /// A Battery Service with a level in percent, which gets less with time. With the last percent the
    /// accessory goes off.
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
