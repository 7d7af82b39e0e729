// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothSMP

/// The settings of an adapter, as the application set them.
package struct AdapterSwitches: Sendable {
    package var isPoweredOn = true
    /// The device name; `nil` for the adapter's default name.
    package var name: String?
    package var authorization = Authorization.allowedAlways
    package var followsBackgroundRules = false
    package var pairingDelegate: (any PairingDelegate)?
    /// The IO capability of the device if there is a delegate.
    package var ioCapability = Pairing.IOCapability.keyboardDisplay
    /// The conditions under which a peer may start a pairing. Not a setting, but read together with
    /// the settings.
    var pairingConditions = PairingConditions()

    /// The IO capability of the device. Without a delegate, nothing shows or enters digits.
    package var effectiveIOCapability: Pairing.IOCapability {
        pairingDelegate == nil ? .noInputNoOutput : ioCapability
    }
}

/// The application's permission to use Bluetooth. The numbers are those of Core Bluetooth.
package enum Authorization: Int, Sendable {
    case notDetermined = 0
    case restricted = 1
    case denied = 2
    case allowedAlways = 3
}
