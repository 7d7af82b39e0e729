// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothHost
import CoreBluetoothEnumerations

// On a phone, a person changes these in the settings. On Linux the program sets them.
extension CBAdapter {
    /// Whether Bluetooth is on. Turning it off stops scans, ends links, and sets the state of all
    /// managers of this adapter to `poweredOff`.
    public var isPoweredOn: Bool {
        get { usage.switches.current.isPoweredOn }
        nonmutating set {
            usage.change { $0.isPoweredOn = newValue }
        }
    }

    /// Whether the program may use Bluetooth. Any value other than `allowedAlways` sets the state
    /// of all managers of this adapter to `unauthorized`. `notDetermined` exists for tests of an
    /// application: Linux shows no permission alert.
    public var authorization: CBManagerAuthorization {
        get {
            CBManagerAuthorization(rawValue: usage.switches.current.authorization.rawValue)
                ?? .notDetermined
        }
        nonmutating set {
            let authorization = Authorization(rawValue: newValue.rawValue) ?? .notDetermined
            usage.change { $0.authorization = authorization }
        }
    }

    /// The device's name: the value of the Device Name characteristic that connected centrals read.
    /// It is truncated to 248 bytes of UTF-8. The default is the environment variable
    /// `LANYARD_NAME`, or else the computer's host name. Setting an empty string restores the
    /// default.
    ///
    /// Advertisements contain the name only if the application advertises it with
    /// `CBAdvertisementDataLocalNameKey`.
    public var name: String {
        get { usage.deviceName }
        nonmutating set { usage.deviceName = newValue }
    }

    /// The delegate that answers pairing requests for the person at the device.
    ///
    /// A delegate that is set before the adapter's first manager is made can also show digits and
    /// ask the person for digits. A delegate that is set later is asked for consent only.
    ///
    /// Without a delegate, a pairing that needs neither comparison nor entry is accepted in two
    /// cases: this device starts it because the application used a protected value or channel, or a
    /// central starts it while the application publishes a value or channel that requires
    /// encryption. All other pairings are refused.
    public var pairingDelegate: (any PairingDelegate)? {
        get { usage.switches.current.pairingDelegate }
        nonmutating set {
            // The former delegate is released after the lock: its `deinit` is the application's
            // code.
            _ = usage.switches.change { switches in
                defer { switches.pairingDelegate = newValue }
                return switches.pairingDelegate
            }
        }
    }

    /// Whether all managers of this adapter follow the rules for applications in the background,
    /// as if each had `CBManagerOptionBackgroundRulesKey`.
    package var followsBackgroundRules: Bool {
        get { usage.followsBackgroundRules }
        nonmutating set { usage.followsBackgroundRules = newValue }
    }

    /// Deletes all bonds, like removing all devices in the settings of a phone. Links with bonded
    /// peers end. Does nothing while the adapter is not in use.
    package func removeBonds() {
        usage.removeBonds()
    }

    /// Disconnects all links and releases the controller. The state of the remaining managers
    /// becomes `unsupported`. The next manager opens the adapter again. The properties set here and
    /// the data for state restoration are kept.
    ///
    /// Returns when the adapter is closed, even if another call closes it. Call it at the end of a
    /// program or of a test. The call is optional.
    public func shutDown() async {
        await usage.shutDown()
    }

    /// Ends the managers of this adapter, as a phone's system does with the managers of an
    /// application whose process ends (`AdapterUsage.endProcess()`).
    package func endProcess() {
        usage.endProcess()
    }
}
