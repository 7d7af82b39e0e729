// SPDX-License-Identifier: Apache-2.0

/// The availability of Bluetooth. Pairings and connections wait while Bluetooth is off or
/// restarting, and continue by themselves.
public enum Availability: Hashable, Sendable {
    /// The availability is not yet known; this is the initial value.
    case unknown
    /// Bluetooth is restarting; its next state follows soon.
    case resetting
    /// This device has no Bluetooth Low Energy.
    case unsupported
    /// The app may not use Bluetooth. A person may be able to change that in the settings.
    case unauthorized
    /// Bluetooth is switched off.
    case poweredOff
    /// Bluetooth is available.
    case poweredOn
}
