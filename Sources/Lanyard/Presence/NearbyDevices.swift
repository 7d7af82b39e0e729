// SPDX-License-Identifier: Apache-2.0

/// The devices nearby at one moment, for a screen on which a person chooses one.
///
/// ```swift
/// for await nearby in try central.nearby(matching: .service("180D")) {
///     rows = nearby.devices
/// }
/// ```
public struct NearbyDevices: Hashable, Sendable {
    /// The maximum number of devices in ``lost``.
    public static var lostLimit: Int { 32 }

    /// The present devices, strongest signal first. Devices of unknown signal follow, in the order
    /// of their discovery. The order uses a new signal strength only if it differs by at least 6
    /// dB, or if the proximity or the name of the device also changes. So devices of similar
    /// strength keep their places.
    public var devices: [NearbyDevice]
    /// The most recently lost devices, newest first. A device that returns leaves this list.
    public var lost: [NearbyDevice]

    /// Creates a list, for tests and previews of a screen.
    ///
    /// - Parameters:
    ///   - devices: The present devices.
    ///   - lost: The lost devices.
    public init(devices: [NearbyDevice] = [], lost: [NearbyDevice] = []) {
        self.devices = devices
        self.lost = lost
    }
}

/// A device in a list of devices nearby.
public struct NearbyDevice: Hashable, Sendable, Identifiable {
    /// The identity of the device. It stays the same after a change of the address if
    /// ``AccessoryDescription/identity`` names a means to recognize the device.
    public var id: AccessoryIdentity
    /// The latest known name; `nil` if none was received.
    public var name: String?
    /// The smoothed signal strength (RSSI) in dBm; `nil` if it is unknown.
    public var signal: Double?
    /// The approximate distance.
    public var proximity: PresentDevice.Proximity
    /// Whether the device is an accessory of the central, which need not be paired again.
    public var isKnown: Bool
    /// The latest discovery of the device; `nil` if it was connected without a discovery.
    public var discovery: Discovery?

    /// Creates an entry, for tests and previews of a screen.
    ///
    /// - Parameters:
    ///   - id: The identity of the device.
    ///   - name: The name; `nil` if it is unknown.
    ///   - signal: The signal strength in dBm; `nil` if it is unknown.
    ///   - proximity: The approximate distance.
    ///   - isKnown: Whether the device is an accessory of the central.
    ///   - discovery: The latest discovery; `nil` if there is none.
    public init(
        id: AccessoryIdentity,
        name: String? = nil,
        signal: Double? = nil,
        proximity: PresentDevice.Proximity = .far,
        isKnown: Bool = false,
        discovery: Discovery? = nil
    ) {
        self.id = id
        self.name = name
        self.signal = signal
        self.proximity = proximity
        self.isKnown = isKnown
        self.discovery = discovery
    }
}

extension NearbyDevice {
    /// Creates an entry for a present device.
    init(_ device: PresentDevice, isKnown: Bool) {
        self.init(
            id: device.identity,
            name: device.name,
            signal: device.signal,
            proximity: device.proximity,
            isKnown: isKnown,
            discovery: device.discovery
        )
    }
}
