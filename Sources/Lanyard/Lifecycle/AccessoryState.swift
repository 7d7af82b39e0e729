// SPDX-License-Identifier: Apache-2.0

/// The state of an accessory.
public enum AccessoryState: Hashable, Sendable {
    /// The availability of Bluetooth is not yet known, or Bluetooth is restarting.
    case waitingForBluetooth
    /// Bluetooth is switched off. The library resumes its work when Bluetooth is switched on.
    case poweredOff
    /// The app may not use Bluetooth. A person may be able to change that in the settings.
    case unauthorized
    /// This device has no Bluetooth Low Energy.
    case unsupported
    /// The system preserved a link or a connection request while the app did not run, and Bluetooth
    /// is not yet available; or the library asks the system for a peripheral that the system knows.
    case restoring
    /// There is nothing to do, for one of the reasons in ``IdleReason``.
    case idle
    /// The accessory is being searched for.
    case scanning
    /// A connection is being made, or waits for a connection slot or for the next attempt.
    case connecting
    /// The services of the accessory are being discovered.
    case discoveringServices
    /// The characteristics of the services are being discovered.
    case discoveringCharacteristics
    /// Subscriptions were requested, and the accessory has not yet confirmed them all.
    case subscribing
    /// The app can use the accessory, except for the values that only paired centrals may use. The
    /// pairing is in progress or has failed.
    case connected
    /// The app can use the accessory. It is connected, its required services and characteristics
    /// were found, its subscriptions are confirmed, and it is paired if the description requires
    /// that.
    case ready
    /// A connection request is pending without a time limit, or the system reconnects by itself.
    case outOfRange
    /// The link is being ended.
    case disconnecting
}
