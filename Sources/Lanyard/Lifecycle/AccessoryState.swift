// SPDX-License-Identifier: Apache-2.0

/// What an accessory is doing.
public enum AccessoryState: Hashable, Sendable {
    /// Bluetooth has not said yet what it can do, or is starting anew.
    case waitingForBluetooth
    /// Bluetooth is switched off: all resumes by itself when it is switched on.
    case poweredOff
    /// The application may not use Bluetooth, until the person changes that in the settings.
    case unauthorized
    /// There is no Bluetooth Low Energy here.
    case unsupported
    /// It was being connected to, or was connected, when the application's process ended, and is taken up
    /// again from there.
    case restoring
    /// Nothing is wished of it: it was never paired, was forgotten, disconnected, or cannot be kept.
    case idle
    /// It is looked for.
    case scanning
    /// It is being connected to, or waits its turn for that.
    case connecting
    /// Its services are looked up.
    case discoveringServices
    /// Their characteristics are.
    case discoveringCharacteristics
    /// It is asked to send values, and has not confirmed that yet.
    case subscribing
    /// It can be used but for what is protected: it is not paired.
    case connected
    /// It can be used.
    case ready
    /// It is waited for, as long as it takes.
    case outOfRange
    /// Its link is being ended.
    case disconnecting
}
