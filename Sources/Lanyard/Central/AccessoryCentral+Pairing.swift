// SPDX-License-Identifier: Apache-2.0

import Foundation

// Choosing a device, and pairing it.
extension AccessoryCentral {
    /// Lists the matching devices nearby for a screen, as long as the app holds the sequence.
    ///
    /// ```swift
    /// for await nearby in try central.nearby(matching: .service("180D")) {
    ///     rows = nearby.devices
    /// }
    /// ```
    ///
    /// The first list is empty. A new one follows when a device appears, is lost, or becomes known
    /// or unknown to the central, when its name or its proximity changes, and when its signal
    /// changes by at least 6 dB. A loop that is slower than the changes receives only the latest
    /// list. The restrictions of ``presence(matching:options:)`` apply.
    ///
    /// - Parameters:
    ///   - matcher: The rule that selects the devices.
    ///   - options: The rules by which a device counts as present or lost.
    /// - Returns: The lists. The sequence ends when the central ends, or at once if 256 scans are
    ///   requested already.
    /// - Throws: ``AccessoryError/unfilteredScan`` if the matcher names no service, unless the
    ///   configuration allows such scans.
    public func nearby(
        matching matcher: AccessoryMatcher,
        options: PresenceOptions = PresenceOptions()
    ) throws(AccessoryError) -> Events<NearbyDevices> {
        try driver.nearby(matching: matcher, options).keeping(lifetime)
    }

    /// Pairs the device that a person chose from a list of devices nearby.
    ///
    /// ```swift
    /// let accessory = try await central.pair(strap, with: nearby.devices[row])
    /// ```
    ///
    /// The description's matcher is not applied to the device, but its required services are. If
    /// the device is already an accessory of this kind, the call requests a connection and returns
    /// the accessory at once. The accessory may be out of range. If it is being paired, the call
    /// joins that pairing.
    ///
    /// - Parameters:
    ///   - description: The description of the accessory.
    ///   - device: An entry of ``NearbyDevices``.
    /// - Returns: The accessory.
    /// - Throws: The errors of `pair(_:)`, and ``AccessoryError/alreadyPaired(kind:)`` if the
    ///   device is an accessory of another kind.
    public func pair(
        _ description: AccessoryDescription,
        with device: NearbyDevice
    ) async throws(AccessoryError) -> Accessory {
        try await lifetime.pair(description, with: PairingTarget(device))
    }

    /// Pairs the peripheral with this identifier: one that AccessorySetupKit reported, or that an
    /// earlier version of the app has stored.
    ///
    /// If the system does not know the identifier, the central searches for the peripheral for as
    /// long as the description permits. The rules of ``pair(_:with:)-(_,NearbyDevice)`` apply.
    ///
    /// - Parameters:
    ///   - description: The description of the accessory.
    ///   - identifier: The identifier of the peripheral.
    /// - Returns: The accessory.
    /// - Throws: The errors of `pair(_:)`, and ``AccessoryError/alreadyPaired(kind:)`` if the
    ///   device is an accessory of another kind.
    public func pair(
        _ description: AccessoryDescription,
        with identifier: UUID
    ) async throws(AccessoryError) -> Accessory {
        try await lifetime.pair(description, with: PairingTarget(identifier))
    }

    /// Pairs the accessory that an entry of another store describes, for example one of an earlier
    /// version of the app. The rules of ``pair(_:with:)-(_,NearbyDevice)`` apply.
    ///
    /// - Parameters:
    ///   - description: The description of the accessory.
    ///   - accessory: The entry. Its identity and its system identifier select the device, and its
    ///     `name` is the name of the device until the system reports one.
    /// - Returns: The accessory.
    /// - Throws: The errors of `pair(_:)`, and ``AccessoryError/alreadyPaired(kind:)`` if the
    ///   device is an accessory of another kind.
    public func pair(
        _ description: AccessoryDescription,
        with accessory: RememberedAccessory
    ) async throws(AccessoryError) -> Accessory {
        try await lifetime.pair(description, with: PairingTarget(accessory))
    }

    /// Starts a pairing that a screen can show and cancel. It is like `pair(_:)` or, with a
    /// device, like ``pair(_:with:)-(_,NearbyDevice)``.
    ///
    /// - Parameters:
    ///   - description: The description of the accessory.
    ///   - device: The chosen device; `nil` for any that matches the description.
    /// - Returns: The pairing, which ends when the app releases it.
    /// - Throws: ``AccessoryError/unknownKind(_:)`` and ``AccessoryError/unfilteredScan``. All
    ///   other errors come from ``Pairing/accessory()``.
    public func pairing(
        _ description: AccessoryDescription,
        with device: NearbyDevice? = nil
    ) throws(AccessoryError) -> Pairing {
        try driver.checkCanPair(description)
        return Pairing(description, with: device.map { PairingTarget($0) }, by: lifetime)
    }

    /// Starts a pairing with the peripheral with this identifier, as
    /// ``pair(_:with:)-(_,UUID)`` does.
    ///
    /// - Parameters:
    ///   - description: The description of the accessory.
    ///   - identifier: The identifier of the peripheral.
    /// - Returns: The pairing, which ends when the app releases it.
    /// - Throws: ``AccessoryError/unknownKind(_:)`` and ``AccessoryError/unfilteredScan``. All
    ///   other errors come from ``Pairing/accessory()``.
    public func pairing(
        _ description: AccessoryDescription,
        with identifier: UUID
    ) throws(AccessoryError) -> Pairing {
        try driver.checkCanPair(description)
        return Pairing(description, with: PairingTarget(identifier), by: lifetime)
    }
}
