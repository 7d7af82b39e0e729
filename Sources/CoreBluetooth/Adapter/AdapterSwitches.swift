// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import CoreBluetoothEnumerations

// What a person does in the settings of a phone. On Linux it is the program's to do.
extension CBAdapter {
    /// Whether Bluetooth is switched on. Switched off, scans stop and links end, and the state of every
    /// manager of this adapter is `poweredOff`.
    public var isPoweredOn: Bool {
        get { usage.switches.current.isPoweredOn }
        nonmutating set {
            usage.switches.change { $0.isPoweredOn = newValue }
            usage.running?.enter { $0.switchesChanged() }
        }
    }

    /// Whether the program may use Bluetooth. Anything but `allowedAlways` makes the state of every
    /// manager of this adapter `unauthorized`. That a person has not been asked yet is for programs to
    /// try out: nobody is asked here.
    public var authorization: CBManagerAuthorization {
        get { usage.switches.current.authorization }
        nonmutating set {
            usage.switches.change { $0.authorization = newValue }
            usage.running?.enter { $0.switchesChanged() }
        }
    }

    /// Who answers for the person in front of the device when something is paired. Set before the first
    /// manager of the adapter is made, it can also be shown digits and asked for them; later, it is
    /// asked for consent only. Nil: what the application itself began by using a protected value is
    /// consented to, if nothing has to be compared or entered; and what a central begins while a value
    /// or channel is published that needs encryption. Everything else is refused.
    public var pairingDelegate: (any PairingDelegate)? {
        get { usage.switches.current.pairingDelegate }
        nonmutating set {
            // The one before is let go of after the lock: it is the application's object.
            _ = usage.switches.change { switches in
                defer { switches.pairingDelegate = newValue }
                return switches.pairingDelegate
            }
        }
    }

    /// Shares no keys with anybody any more, as after all devices were removed in the settings of a phone:
    /// links with those that it was paired with end. Nothing happens while the adapter is not in use.
    package func removeBonds() {
        usage.running?.enter { $0.removeBonds() }
    }

    /// Ends all links in an orderly way, and lets go of the controller. Managers that are left see the
    /// state `unsupported`; the next one that is made opens the adapter again, once it has come to its
    /// end. What was set here stays set, and what is to be restored is kept.
    ///
    /// Returns when the adapter has come to its end, whoever began that. For the end of a program, or of
    /// a test. Nothing has to call it.
    public func shutDown() async {
        await usage.shutDown(self)
    }
}

/// What a person has set.
struct AdapterSwitches: Sendable {
    var isPoweredOn = true
    var authorization = CBManagerAuthorization.allowedAlways
    var pairingDelegate: (any PairingDelegate)?
    /// Not a switch, but asked with them: whether others may begin to pair.
    var grounds = PairingGrounds()
}
