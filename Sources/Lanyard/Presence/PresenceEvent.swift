// SPDX-License-Identifier: Apache-2.0

/// The appearance, the change or the disappearance of a device. Core Bluetooth reports only that it
/// received a device, never that it stopped receiving it.
public enum PresenceEvent: Hashable, Sendable {
    /// A device appeared.
    case discovered(PresentDevice)
    /// The signal of the device became known or changed by at least 6 dB, or its proximity or name
    /// changed.
    case updated(PresentDevice)
    /// The device disappeared, or is no longer tracked for another reason. A device that stops
    /// advertising because it is connected or being connected is not lost for that reason.
    case lost(PresentDevice, PresenceLoss)

    /// The device of the event.
    public var device: PresentDevice {
        switch self {
        case .discovered(let device), .updated(let device), .lost(let device, _): device
        }
    }
}

/// The reason why a device counts as lost.
public enum PresenceLoss: Hashable, Sendable {
    /// Nothing was received for longer than the options permit: by default, for much longer than
    /// the device's longest known gap.
    case silent
    /// The device is now tracked under another identity, because both identities are one device.
    case merged
    /// More devices are present than the tracker can hold, and this one was received longest ago.
    case displaced
}

/// A device that is present.
public struct PresentDevice: Hashable, Sendable {
    /// The approximate distance of a device. Between the two thresholds it keeps its last value, so
    /// that a device at the border does not alternate.
    public enum Proximity: Hashable, Sendable {
        /// The smoothed signal was at least -70 dBm, and has not fallen below -86 dBm since.
        case near
        /// The smoothed signal was never that strong, or has fallen below -86 dBm since.
        case far
    }

    /// The identity of the device.
    public var identity: AccessoryIdentity
    /// The latest discovery of the device; `nil` if it was connected without a discovery.
    public var discovery: Discovery?
    /// The latest known name; `nil` if none was received.
    public var name: String?
    /// The signal strength (RSSI) in dBm, smoothed over several advertisements; `nil` if it was
    /// never known.
    public var signal: Double?
    /// The approximate distance.
    public var proximity: Proximity
    /// The longest gap between received advertisements; `nil` until 16 gaps were measured. By
    /// default the device counts as lost after twice this time and 5 seconds more.
    public var learnedInterval: Duration?
}
