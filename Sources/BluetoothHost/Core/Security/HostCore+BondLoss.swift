// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

/// A bond that a peer does not seem to have any more, and what is done if it may be replaced.
struct BondLoss: Sendable {
    enum Continuation: Sendable {
        /// Pair: the peer, asked to encrypt, does not know the key.
        case pair
        /// Let this Pairing Request through.
        case receive([UInt8])
        /// Keep these keys, which a stranger has brought who claims to be the peer.
        case keep(Pairing.Keys)
    }

    /// How long the application may think about it: less than the peer waits for the answer to a
    /// Pairing Request (Vol 3, Part H, 3.4).
    static let answerLimit: Duration = .seconds(25)

    let bond: Bond
    let next: Continuation
    let deadline: Instant
}

// A peer that has lost its keys, or somebody who pretends to be one: `BondLossPolicy` decides, and the
// default is that the link ends. Never is such a link used as if there had been no bond.
extension HostCore {
    /// How long a peer has to hear why it was refused before its link ends.
    static let refusalPause: Duration = .seconds(1)

    mutating func bondLost(
        _ bond: Bond,
        then next: BondLoss.Continuation,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle], link.protection.loss == nil else { return }
        if !link.protection.hasLostBond {
            emit(.security(.bondLost(BondedPeer(bond))))
        }
        let loss = BondLoss(bond: bond, next: next, deadline: now + BondLoss.answerLimit)
        let isFirst = !link.protection.hasLostBond
        links[handle]?.protection.hasLostBond = true
        switch configuration.bondLossPolicy {
        case .pairOnce where isFirst: pairAnew(loss, on: handle, now: now)
        case .ask where isFirst && configuration.pairingDelegate != nil:
            // Somebody is asked who takes time: the dial's own is over.
            if let dial = link.dial { dials[dial]?.deadline = nil }
            links[handle]?.protection.loss = loss
            emit(.pairing(link.identifier, .bondLost(BondedPeer(bond))))
        case .refuse, .pairOnce, .ask: refuse(loss, on: handle, now: now)
        }
    }

    /// The application has decided whether to pair anew.
    package mutating func answerBondLoss(
        _ pairsAgain: Bool,
        on link: LinkIdentifier,
        now: Instant
    ) {
        guard let handle = handles[link] else { return }
        answerBondLoss(pairsAgain, on: handle, now: now)
    }

    mutating func answerBondLoss(
        _ pairsAgain: Bool,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let loss = links[handle]?.protection.loss, let link = links[handle]?.identifier else {
            return
        }
        links[handle]?.protection.loss = nil
        emit(.pairing(link, .withdrawn))
        guard pairsAgain else { return refuse(loss, on: handle, now: now) }
        pairAnew(loss, on: handle, now: now)
    }

    private mutating func pairAnew(_ loss: BondLoss, on handle: ConnectionHandle, now: Instant) {
        guard let link = links[handle], !link.isDisconnecting else { return }
        guard mayPair(loss, on: handle) else { return refuse(loss, on: handle, now: now) }
        links[handle]?.protection.agreedAnew = loss.bond.peer
        switch loss.next {
        case .pair:
            if let dial = link.dial { dials[dial]?.deadline = nil }
            guard link.protection.waiters.isEmpty else { return secureOn(handle, now: now) }
            pair(handle, configuration.pairing, now: now)
        case .receive(let request): hand(request[...], on: handle, now: now)
        case .keep(let keys): keep(keys, on: handle, now: now)
        }
    }

    /// Whether what was agreed to is something that the host does: where nobody can be asked, nothing
    /// is paired that the application has not called for itself; and no bond is lowered.
    private func mayPair(_ loss: BondLoss, on handle: ConnectionHandle) -> Bool {
        switch loss.next {
        case .pair: configuration.pairingDelegate != nil || isCalledFor(on: handle)
        case .receive: policyForPeers != nil || isCalledFor(on: handle)
        case .keep(let keys):
            configuration.pairing.allowsWeakerBond
                || LinkSecurity(keys).isNoWeaker(than: loss.bond.security(isEncrypted: true))
        }
    }

    private mutating func refuse(_ loss: BondLoss, on handle: ConnectionHandle, now: Instant) {
        switch loss.next {
        case .pair, .keep: end(handle, as: .bondLost, now: now)
        case .receive:
            refusePairing(.pairingNotSupported, on: handle, now: now)
            endSoon(handle, as: .bondLost, now: now)
        }
    }
}
