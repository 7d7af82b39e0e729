// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// A pairing delegate that consents and confirms, and prints each of these calls.
struct Approver: PairingDelegate {
    func consents(to pairing: PairingRequest) async -> Bool {
        say("consents to \(pairing.isIncoming ? "an incoming pairing" : "a pairing")")
        return true
    }

    func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
        say("confirms \(digits.value)")
        return true
    }

    func show(_ digits: PairingDigits, of pairing: PairingRequest) async {
        say("shows \(digits.value)")
    }
}
