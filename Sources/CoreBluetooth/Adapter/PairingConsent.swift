// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothSMP

/// Answers for the person in front of the device, as the application has it: by its
/// `CBAdapter.pairingDelegate`, or, without one, as a phone without a screen would.
///
/// Without one, nothing can be compared or entered. A pairing that needs neither is consented to if it
/// was begun here, which only the use of a protected value does. If the peer began it, then only while a
/// service is published that is protected: otherwise nobody here has asked for it.
struct PairingConsent: PairingDelegate {
    let switches: Guarded<AdapterSwitches>

    private var delegate: (any PairingDelegate)? { switches.current.pairingDelegate }

    func consents(to pairing: PairingRequest) async -> Bool {
        if let delegate { return await delegate.consents(to: pairing) }
        return !pairing.isIncoming || switches.current.publishesProtectedValues
    }

    func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
        await delegate?.confirms(digits, of: pairing) ?? false
    }

    func show(_ digits: PairingDigits, of pairing: PairingRequest) async {
        await delegate?.show(digits, of: pairing)
    }

    func enterDigits(
        for pairing: PairingRequest,
        _ entry: DigitEntry
    ) async -> PairingDigits? {
        await delegate?.enterDigits(for: pairing, entry)
    }

    func peerPressed(_ keypress: Pairing.Keypress, of pairing: PairingRequest) async {
        await delegate?.peerPressed(keypress, of: pairing)
    }

    func pairsAgain(with peer: BondedPeer) async -> Bool {
        await delegate?.pairsAgain(with: peer) ?? false
    }
}

extension HostConfiguration {
    /// Pairs as applications of the framework expect it. What the maker of an adapter has configured
    /// stays.
    mutating func pairAsApplicationsExpect(_ switches: Guarded<AdapterSwitches>) {
        guard pairingDelegate == nil else { return }
        pairingDelegate = PairingConsent(switches: switches)
        guard pairing == Pairing.Policy() else { return }
        // Apple's pairs with the many accessories that know nothing newer.
        pairing.allowsLegacyPairing = true
        if switches.current.pairingDelegate != nil { pairing.ioCapability = .keyboardDisplay }
    }
}
