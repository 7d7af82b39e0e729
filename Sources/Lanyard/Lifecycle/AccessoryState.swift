// SPDX-License-Identifier: Apache-2.0

/// The state of an accessory.
public enum AccessoryState: Hashable, Sendable {
    /// The availability of Bluetooth is not yet known, or Bluetooth is restarting.
    case waitingForBluetooth
    /// Bluetooth is switched off. Everything resumes when it is switched on.
    case poweredOff
    /// The app may not use Bluetooth. A person can change that in the settings.
    case unauthorized
    /// This device has no Bluetooth Low Energy.
    case unsupported
    /// The system is asked for the accessory: for a link or a connection request that it preserved
    /// when the app's process ended, or for a peripheral that it knows.
    case restoring
    /// There is nothing to do: the accessory was never paired, was forgotten or disconnected, or
    /// cannot be kept connected.
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
    /// The accessory is usable except for its protected values: the library reads the one that
    /// proves the pairing, or the accessory refused to send it because it is not paired.
    case connected
    /// The accessory is usable.
    case ready
    /// A connection request is pending until the accessory returns, without a time limit.
    case outOfRange
    /// The link is being ended.
    case disconnecting
}
