// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothSMP
import BluetoothTypes

/// The pairing delegate of an adapter's host. It forwards to the application's delegate
/// (`AdapterSwitches.pairingDelegate`).
///
/// Without a delegate, a pairing fails if a person has to compare or enter digits. Any other
/// pairing is accepted in two cases:
///
/// - This device started the pairing.
/// - The application publishes a value or channel that requires encryption, and the peer is the
///   central on its link. If the link is not known, the peer's role is not checked.
package struct PairingConsent: PairingDelegate {
    package let switches: LockedState<AdapterSwitches>

    package init(_ switches: LockedState<AdapterSwitches>) { self.switches = switches }

    private var delegate: (any PairingDelegate)? { switches.current.pairingDelegate }

    package func consents(to pairing: PairingRequest) async -> Bool {
        if let delegate { return await delegate.consents(to: pairing) }
        guard pairing.isIncoming else { return true }
        let conditions = switches.current.pairingConditions
        return pairing.link.map { conditions.permit($0.identifier) }
            ?? conditions.hasProtectedContent
    }

    package func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
        await delegate?.confirms(digits, of: pairing) ?? false
    }

    package func show(_ digits: PairingDigits, of pairing: PairingRequest) async {
        await delegate?.show(digits, of: pairing)
    }

    package func enterDigits(
        for pairing: PairingRequest,
        _ entry: DigitEntry
    ) async -> PairingDigits? {
        await delegate?.enterDigits(for: pairing, entry)
    }

    package func peerPressed(_ keypress: Pairing.Keypress, of pairing: PairingRequest) async {
        await delegate?.peerPressed(keypress, of: pairing)
    }

    package func pairsAgain(with peer: BondedPeer, on link: Link) async -> Bool {
        await delegate?.pairsAgain(with: peer, on: link) ?? false
    }

    package func pairingEnded(
        on link: Link,
        with result: Result<LinkSecurity, any Error>
    ) async {
        await delegate?.pairingEnded(on: link, with: result)
    }
}

/// The conditions under which a peer may start a pairing without a pairing delegate.
struct PairingConditions: Equatable, Sendable {
    /// Whether a published value or channel requires encryption. A central may then pair before it
    /// requests the protected value, because it could just as well request the value first and then
    /// pair.
    var hasProtectedContent = false
    /// The links on which the peer is the central. A peripheral that this device connects to is not
    /// expected to use this device's protected values.
    var linksToCentrals: Set<LinkIdentifier> = []

    /// Returns whether the peer on a link may pair without the consent of a delegate.
    func permit(_ link: LinkIdentifier) -> Bool {
        hasProtectedContent && linksToCentrals.contains(link)
    }
}

extension HostConfiguration {
    /// Sets the pairing policy that applications of the framework expect. Keeps a policy that the
    /// creator of the adapter configured.
    mutating func pairAsApplicationsExpect(_ switches: LockedState<AdapterSwitches>) {
        guard pairingDelegate == nil else { return }
        pairingDelegate = PairingConsent(switches)
        // The host asks during a change of its state. A copy of the settings could be the last to
        // hold the application's delegate, whose `deinit` would then run there.
        asksPerson = { switches.read { $0.pairingDelegate != nil } }
        if bondLossPolicy == .refuse, asksPerson() {
            bondLossPolicy = .ask
        }
        guard pairing == Pairing.Policy() else { return }
        pairing.ioCapability = switches.current.effectiveIOCapability
        peerPairing = pairing
        // Apple's devices pair with the many accessories that support legacy pairing only. A peer
        // that starts a pairing must support LE Secure Connections.
        pairing.allowsLegacyPairing = true
    }
}
