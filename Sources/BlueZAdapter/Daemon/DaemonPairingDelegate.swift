// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The person at this device, who answers the daemon's questions about pairings. Each method runs
/// in a task of its own, which the adapter cancels when the daemon withdraws the question.
package protocol DaemonPairingDelegate: Sendable {
    /// The capability of this device to show digits to the person and to accept them.
    var capability: DaemonCapability { get }
    /// Returns whether the person consents to a pairing that requires no other action of the
    /// person.
    func consents(to pairing: DaemonPairing) async -> Bool
    /// Returns whether the peer displays the same six digits.
    func confirms(_ digits: UInt32, of pairing: DaemonPairing) async -> Bool
    /// Displays six digits, which the person enters at the peer, until the task is canceled.
    func show(_ digits: UInt32, of pairing: DaemonPairing) async
    /// Returns the six digits that the peer displays; `nil` if the person declines.
    func enterDigits(for pairing: DaemonPairing) async -> UInt32?
}

/// The pairing about which the daemon asks.
package struct DaemonPairing: Hashable, Sendable {
    /// The peer's address.
    package let address: DeviceAddress
    /// Whether this program did not begin the pairing. The peer began it, or the daemon did,
    /// because another program used a protected value.
    package let isIncoming: Bool
}

/// The capability of a device to show digits and to accept digits or an answer. The raw values are
/// the daemon's names (org.bluez.AgentManager1).
package enum DaemonCapability: String, CaseIterable, Sendable {
    case displayOnly = "DisplayOnly"
    case displayYesNo = "DisplayYesNo"
    case keyboardOnly = "KeyboardOnly"
    case noInputNoOutput = "NoInputNoOutput"
    case keyboardDisplay = "KeyboardDisplay"
}
