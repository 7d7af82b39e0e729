// SPDX-License-Identifier: Apache-2.0

import BlueZAdapter
import BluetoothHost

// Questions of the Bluetooth daemon.
extension TerminalDelegate: DaemonPairingDelegate {
    var capability: DaemonCapability {
        dialogue.hasUser ? .keyboardDisplay : .noInputNoOutput
    }

    /// Returns whether to ask about a pairing. A pairing that a peer begins needs the permission,
    /// if there is one.
    private func admits(_ pairing: DaemonPairing) -> Bool {
        !pairing.isIncoming || permission?.isOpen() != false
    }

    /// Returns whether the user consents. A pairing that a command requests needs no consent, as on
    /// a host.
    func consents(to pairing: DaemonPairing) async -> Bool {
        guard admits(pairing) else { return false }
        guard pairing.isIncoming else { return true }
        return await dialogue.consents(PairingContext(.justWorks, pairing))
    }

    func confirms(_ digits: UInt32, of pairing: DaemonPairing) async -> Bool {
        guard admits(pairing), let digits = PairingDigits(digits) else { return false }
        return await dialogue.confirms(digits, PairingContext(.numericComparison, pairing))
    }

    func show(_ digits: UInt32, of pairing: DaemonPairing) async {
        guard admits(pairing), let digits = PairingDigits(digits) else { return }
        await dialogue.show(digits, PairingContext(.passkeyDisplay, pairing))
    }

    func enterDigits(for pairing: DaemonPairing) async -> UInt32? {
        guard admits(pairing) else { return nil }
        // The daemon sends no keypresses.
        return await dialogue.enterDigits(PairingContext(.passkeyEntry, pairing)) { _ in }?.value
    }
}

extension PairingContext {
    fileprivate init(_ method: Pairing.Method, _ pairing: DaemonPairing) {
        peer = AddressText.describe(pairing.address)
        self.method = method
        isIncoming = pairing.isIncoming
    }
}
