// SPDX-License-Identifier: Apache-2.0

/// Who comes and goes: what Core Bluetooth tells half of, which reports devices that it hears and never
/// that it does so no more.
public enum PresenceEvent: Hashable, Sendable {
    /// A device is around that was not.
    case discovered(PresentDevice)
    /// It came clearly nearer, or went clearly away.
    case updated(PresentDevice)
    /// It is not around any more. Never told of one that is being connected to or is connected, although
    /// such a one does not advertise.
    case lost(PresentDevice, PresenceLoss)

    /// Whom it is about.
    public var device: PresentDevice {
        switch self {
        case .discovered(let device), .updated(let device), .lost(let device, _): device
        }
    }
}

/// Why a device counts as lost.
public enum PresenceLoss: Hashable, Sendable {
    /// Nothing was heard of it for longer than it ever leaves between two advertisements.
    case silent
    /// More devices are around than are kept in mind, and it was heard longest ago.
    case displaced
}

/// A device that is around.
public struct PresentDevice: Hashable, Sendable {
    /// How near it is, roughly. What lies between does not change what was said before, so that one at the
    /// border does not flicker.
    public enum Proximity: Hashable, Sendable {
        /// It was received with at least -70 dBm, smoothed, and has not gone far since.
        case near
        /// It was not, or fell below -86 dBm since.
        case far
    }

    /// Which device.
    public var identity: AccessoryIdentity
    /// What was heard of it last; nil if it was connected to without having been heard.
    public var sighting: Sighting?
    /// How strongly it is received, in dBm, smoothed over some advertisements; nil if that was never known.
    public var signal: Double?
    /// How near it is.
    public var proximity: Proximity
    /// The longest time that it lets pass between two advertisements that arrive; nil until enough of them
    /// were heard. It is lost after twice that time and five seconds more.
    public var learnedInterval: Duration?
}
