// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// Lets the host ask the person at the terminal.
struct TerminalDelegate: PairingDelegate {
    let dialogue: PairingDialogue

    func consents(to pairing: PairingRequest) async -> Bool {
        await dialogue.consents(PairingScene(pairing))
    }

    func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
        await dialogue.confirms(digits, PairingScene(pairing))
    }

    func show(_ digits: PairingDigits, of pairing: PairingRequest) async {
        await dialogue.show(digits, PairingScene(pairing))
    }

    func enterDigits(
        for pairing: PairingRequest,
        _ entry: DigitEntry
    ) async -> PairingDigits? {
        await dialogue.enterDigits(PairingScene(pairing)) { entry.report($0) }
    }

    func peerPressed(_ keypress: Pairing.Keypress, of pairing: PairingRequest) async {
        dialogue.peerPressed(keypress)
    }

    func pairsAgain(with peer: BondedPeer) async -> Bool {
        await dialogue.pairsAgain(BondText.name(of: peer))
    }
}

extension PairingScene {
    init(_ pairing: PairingRequest) {
        peer = AddressText.describe(pairing.link.address)
        method = pairing.method
        isIncoming = pairing.isIncoming
    }
}
