// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// The settings of an adapter, as the application set them.
package struct AdapterSwitches: Sendable {
    package var isPoweredOn = true
    /// The device name; `nil` for the adapter's default name.
    package var name: String?
    package var authorization = Authorization.allowedAlways
    package var followsBackgroundRules = false
    package var pairingDelegate: (any PairingDelegate)?
    /// The conditions under which a peer may start a pairing. Not a setting, but read together with
    /// the settings.
    var pairingConditions = PairingConditions()
}

/// The application's permission to use Bluetooth. The numbers are those of Core Bluetooth.
package enum Authorization: Int, Sendable {
    case notDetermined = 0
    case restricted = 1
    case denied = 2
    case allowedAlways = 3
}
