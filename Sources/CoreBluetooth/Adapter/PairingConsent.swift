// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothSMP

/// Answers for the person in front of the device, as the application has it: by its
/// `CBAdapter.pairingDelegate`, or, without one, as a phone without a screen would.
///
/// Without one, nothing can be compared or entered. A pairing that needs neither is consented to if it
/// was begun here, which only the use of a protected value does. If the peer began it, then only if there
/// are grounds: a central of ours, while something is published that it has to pair for.
struct PairingConsent: PairingDelegate {
    let switches: Guarded<AdapterSwitches>

    private var delegate: (any PairingDelegate)? { switches.current.pairingDelegate }

    func consents(to pairing: PairingRequest) async -> Bool {
        if let delegate { return await delegate.consents(to: pairing) }
        return !pairing.isIncoming || switches.current.grounds.permit(pairing.link.identifier)
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

/// What there is to say for a pairing that a peer begins.
struct PairingGrounds: Equatable, Sendable {
    /// Whether a value or a channel is published that only an encrypted link may have. Who wants it has
    /// to pair, and is refused nothing by having to ask for it first: so that is not looked at.
    var isSomethingProtected = false
    /// The links on which the other side is the Central. A peripheral that we connect to has nothing to
    /// fetch here that it would have to pair for.
    var centralsLinks: Set<LinkIdentifier> = []

    /// Whether the peer at the other end of a link may pair without anybody being asked.
    func permit(_ link: LinkIdentifier) -> Bool {
        isSomethingProtected && centralsLinks.contains(link)
    }
}

extension HostConfiguration {
    /// Pairs as applications of the framework expect it. What the maker of an adapter has configured
    /// stays.
    mutating func pairAsApplicationsExpect(_ switches: Guarded<AdapterSwitches>) {
        guard pairingDelegate == nil else { return }
        pairingDelegate = PairingConsent(switches: switches)
        guard pairing == Pairing.Policy() else { return }
        if switches.current.pairingDelegate != nil { pairing.ioCapability = .keyboardDisplay }
        peerPairing = pairing
        // Apple's pairs with the many accessories that know nothing newer. Who pairs with us is to.
        pairing.allowsLegacyPairing = true
    }
}
