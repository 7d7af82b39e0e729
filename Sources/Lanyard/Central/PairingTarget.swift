// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The device that was chosen for a pairing.
struct PairingTarget: Hashable, Sendable {
    /// The identity of the device.
    var identity: AccessoryIdentity
    /// The latest known identifier that the system assigns to the device.
    var identifier: UUID?
    /// The name of the device, as far as it is known.
    var name: String?

    /// Creates a target from an entry of a list of devices nearby.
    init(_ device: NearbyDevice) {
        identity = device.id
        identifier = device.discovery?.identifier
        name = device.name
    }

    /// Creates a target from the identifier of a peripheral.
    init(_ identifier: UUID) {
        identity = .system(identifier)
        self.identifier = identifier
    }

    /// Creates a target from an entry of a store.
    init(_ accessory: RememberedAccessory) {
        identity = accessory.identity
        identifier = accessory.systemIdentifier
        name = accessory.name
    }

    /// Returns whether the two targets are the same device, as far as identities and identifiers
    /// show that.
    func isSameDevice(as other: PairingTarget) -> Bool {
        identity == other.identity || identifier != nil && identifier == other.identifier
    }
}
