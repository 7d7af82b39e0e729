// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

/// A bond that a peer seems to have lost, and the step that follows if the bond may be replaced.
struct BondLoss: Sendable {
    enum Continuation: Sendable {
        /// Pair. The peer was asked to encrypt and does not have the key.
        case pair
        /// Pass this Pairing Request to the Security Manager.
        case receive([UInt8])
        /// Store the keys of a pairing with a device that claims to be the peer.
        case keep(Pairing.Keys)
    }

    /// The time that the application has to decide. It is shorter than the time for which the peer
    /// waits for the answer to a Pairing Request (Vol 3, Part H, 3.4).
    static let answerLimit: Duration = .seconds(25)

    let bond: Bond
    let next: Continuation
    let deadline: Instant
}

// A peer that has lost its keys, or a device that pretends to be that peer. `BondLossPolicy`
// decides. Such a link is never used as if there had been no bond.
extension LinkCore {
    /// The time that a peer has to receive the reason for a refusal before its link ends.
    static let refusalPause: Duration = .seconds(1)

    mutating func bondLost(
        _ lost: Bond,
        then next: BondLoss.Continuation,
        _ context: inout LinkContext
    ) {
        guard protection.loss == nil else { return }
        let isFirst = !protection.hasLostBond
        if isFirst { context.emit(.event(.security(.bondLost(BondedPeer(lost))))) }
        let loss = BondLoss(bond: lost, next: next, deadline: context.now + BondLoss.answerLimit)
        protection.hasLostBond = true
        switch context.configuration.bondLossPolicy {
        case .pairOnce where isFirst: replaceBond(loss, &context)
        case .ask where isFirst && mayAsk(about: next, context):
            noteQuestion(about: next, &context)
            suspendConnectTimeout(&context)
            protection.loss = loss
            context.emit(.pairing(identifier, .bondLost(BondedPeer(lost))))
        case .refuse, .pairOnce, .ask: refuse(loss, &context)
        }
    }

    /// Counts a question that a peer's pairing causes, if a person answers it.
    private func noteQuestion(
        about next: BondLoss.Continuation,
        _ context: inout LinkContext
    ) {
        if case .pair = next { return }
        if context.configuration.asksPerson() { context.attempts.asked(now: context.now) }
    }

    /// Removes the timeout of the connection request, because a person needs time to answer.
    private func suspendConnectTimeout(_ context: inout LinkContext) {
        guard let request = connectionRequest else { return }
        context.post(.awaitsPerson(request), of: identifier)
    }

    /// Returns whether the host may ask a person about a lost bond, which requires a delegate. If a
    /// failure to encrypt has shown the loss, nothing else is required. If a pairing of the peer
    /// has shown it, the limits of incoming pairings apply.
    private func mayAsk(about next: BondLoss.Continuation, _ context: LinkContext) -> Bool {
        guard context.configuration.pairingDelegate != nil else { return false }
        if case .pair = next { return true }
        return context.attempts.questionWaitLeft(now: context.now) == nil
            && !isPersonOccupiedElsewhere(context)
    }

    /// Applies the application's decision whether to pair again.
    mutating func answerBondLoss(_ pairsAgain: Bool, _ context: inout LinkContext) {
        guard let loss = protection.loss else { return }
        protection.loss = nil
        context.emit(.pairing(identifier, .withdrawn))
        guard pairsAgain else { return refuse(loss, &context) }
        context.attempts.allowQuestions()
        replaceBond(loss, &context)
    }

    private mutating func replaceBond(_ loss: BondLoss, _ context: inout LinkContext) {
        guard !isDisconnecting else { return }
        guard mayPair(loss, context) else { return refuse(loss, &context) }
        protection.replaceableBond = loss.bond.peer
        switch loss.next {
        case .pair:
            suspendConnectTimeout(&context)
            guard protection.waiters.isEmpty else { return continueSecuring(&context) }
            pair(context.configuration.pairing, &context)
        case .receive(let request): passToManager(request[...], &context)
        case .keep(let keys): keep(keys, &context)
        }
    }

    /// Returns whether the host may perform the approved step. Without a delegate, the host pairs
    /// only if the application itself requested it. A weaker bond replaces a stronger one only if
    /// the policy of pairings allows that.
    private func mayPair(_ loss: BondLoss, _ context: LinkContext) -> Bool {
        switch loss.next {
        case .pair: context.configuration.pairingDelegate != nil || isPairingRequested
        case .receive: context.policyForPeers != nil || isPairingRequested
        case .keep(let keys):
            context.configuration.pairing.allowsWeakerBond
                || LinkSecurity(keys).isNoWeaker(than: loss.bond.security(isEncrypted: true))
        }
    }

    private mutating func refuse(_ loss: BondLoss, _ context: inout LinkContext) {
        switch loss.next {
        case .pair, .keep: disconnect(as: .bondLost, &context)
        case .receive:
            refusePairing(.pairingNotSupported, &context)
            disconnectSoon(as: .bondLost, context)
        }
    }
}
