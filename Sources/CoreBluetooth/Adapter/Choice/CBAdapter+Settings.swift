// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothHost
import BluetoothRadios
import BluetoothSMP
import BluetoothTypes
import CoreBluetoothEnumerations
import Foundation
import HCITransports

// On a phone, a person changes these properties in the settings. On Linux the app sets them.
extension CBAdapter {
    /// Whether the app's switch for Bluetooth is on, as it is by default. Turning it off stops the
    /// managers' scans, ends their links, and sets the state of all managers of this adapter to
    /// `poweredOff`.
    public var isPoweredOn: Bool {
        get { usage.switches.current.isPoweredOn }
        nonmutating set {
            usage.change { $0.isPoweredOn = newValue }
        }
    }

    /// The permission of the app to use Bluetooth. Any value other than `allowedAlways` sets the
    /// state of all managers of this adapter to `unauthorized`. `notDetermined` exists for tests of
    /// an app: Linux shows no permission alert.
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

    /// The device's name: the value of the Device Name characteristic that connected peers read. It
    /// is truncated to 248 bytes of UTF-8. The default is the environment variable `LANYARD_NAME`,
    /// or else the computer's host name. Setting an empty string restores the default. The daemon
    /// (`bluez`) ignores this name.
    ///
    /// Advertisements contain the name only if the app advertises it with
    /// `CBAdvertisementDataLocalNameKey`.
    public var name: String {
        get { usage.deviceName }
        nonmutating set { usage.deviceName = newValue }
    }

    /// The delegate that answers pairing requests for the person at the device.
    ///
    /// A delegate that is set before the adapter is opened, with its first manager, can also show
    /// digits and ask the person for digits. A delegate that is set later is asked for consent
    /// only.
    ///
    /// Without a delegate, a pairing that needs neither comparison nor entry is accepted in two
    /// cases: this device starts it because the app used a protected value or channel, or a
    /// central starts it while the app publishes a value or channel that requires
    /// encryption. All other pairings are refused.
    public var pairingDelegate: (any PairingDelegate)? {
        get { usage.switches.current.pairingDelegate }
        nonmutating set {
            // The former delegate is released after the lock: its `deinit` is the app's
            // code.
            _ = usage.switches.change { switches in
                defer { switches.pairingDelegate = newValue }
                return switches.pairingDelegate
            }
        }
    }

    /// The capability of the device to show digits and to accept digits or an answer, which
    /// determines the pairing method (Vol 3, Part H, 2.3.5.1). A display and a keyboard by default.
    ///
    /// ```swift
    /// adapter.ioCapability = .displayOnly  // a lock that shows digits, which a phone enters
    /// adapter.pairingDelegate = display
    /// ```
    ///
    /// Set it before the adapter is opened, with its first manager. Without a `pairingDelegate`, the
    /// device counts as one that can neither show nor accept anything.
    public var ioCapability: Pairing.IOCapability {
        get { usage.switches.current.ioCapability }
        nonmutating set { usage.switches.change { $0.ioCapability = newValue } }
    }

    /// Assigns a peripheral to one of several adapters that work as one: every later connection to
    /// the peripheral uses that adapter.
    ///
    /// The adapter's store keeps the choice. While the peripheral's adapter is unavailable, a
    /// connection request for the peripheral waits.
    ///
    /// ```swift
    /// let adapter = CBAdapter("hci0+hci1")
    /// adapter.setRadio("hci1", forPeripheral: peripheral.identifier)
    /// ```
    ///
    /// Call this method while a manager uses the adapter. Otherwise the call has no effect and logs
    /// a warning. The same applies to a name that is not a part of the adapter's name.
    ///
    /// - Parameters:
    ///   - radio: The name of one of the adapters, as in the adapter's name; `nil` leaves the
    ///     choice to the adapter again.
    ///   - identifier: The identifier of the peripheral.
    public func setRadio(_ radio: String?, forPeripheral identifier: UUID) {
        guard let running = usage.running else {
            return Misuse.warn("\(self) is not in use, so no radio can be chosen")
        }
        // The adapters have the names of their specifications, in one spelling.
        let name = radio.map { (try? AdapterSpecification($0))?.description ?? $0 }
        let peer = PeerIdentifier(identifier)
        running.execute { adapter in
            guard let radios = adapter.port as? CompositeAdapter else {
                return Misuse.warn("\(self) is one adapter, so no radio can be chosen")
            }
            guard !radios.pin(peer, toRadio: name) else { return }
            let isKnown = name.map { name in radios.report.radios.contains { $0.name == name } }
            let reason = isKnown == false ? "is not one of the adapters" : "cannot be stored for"
            Misuse.warn("\(name ?? "") \(reason) \(self), so it is not chosen")
        }
    }

    /// The current state of this adapter's radios and of the links on them; `nil` if the adapter is
    /// not open, or does not consist of several adapters.
    package var radioReport: RadioReport? {
        get async {
            guard let running = usage.running else { return nil }
            return await withCheckedContinuation { continuation in
                running.execute { adapter in
                    continuation.resume(returning: (adapter.port as? CompositeAdapter)?.report)
                }
            }
        }
    }

    /// Whether all managers of this adapter follow the rules for apps in the background,
    /// as if each had `CBManagerOptionBackgroundRulesKey`.
    package var followsBackgroundRules: Bool {
        get { usage.followsBackgroundRules }
        nonmutating set { usage.followsBackgroundRules = newValue }
    }

    /// Deletes all bonds, and ends the links with bonded peers. Does nothing while the adapter is
    /// not open.
    package func removeBonds() {
        usage.removeBonds()
    }

    /// Disconnects all links and releases the controller. The state of the remaining managers
    /// becomes `unsupported`. The next manager opens the adapter again. The properties set here and
    /// the data for state restoration are kept.
    ///
    /// Returns when the adapter is closed, even if another call closes it. Call it at the end of an
    /// app or of a test. The call is optional.
    public func shutDown() async {
        await usage.shutDown()
    }

    /// Simulates the end of the app's process for a test of state restoration: ends the managers of
    /// this adapter, as `AdapterUsage.endProcess()` describes.
    package func endProcess() {
        usage.endProcess()
    }
}
