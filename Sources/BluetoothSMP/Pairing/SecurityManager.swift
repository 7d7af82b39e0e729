// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The Security Manager of one link (Vol 3, Part H), which starts pairings and responds to those of
/// the peer.
///
/// One pairing is in progress at a time. Its last action is `paired` or `failed`. A pairing without
/// progress for 30 seconds fails, and the channel is then unusable until the link ends (Vol 3, Part
/// H, 3.4). After an unanswered Security Request, the channel stays usable.
package struct SecurityManager: Sendable {
    /// The facts about a link before a pairing.
    package struct Context: Hashable, Sendable {
        /// Whether the local device is the central.
        package var isCentral: Bool
        /// The local address on this link.
        package var localAddress: DeviceAddress
        /// The peer's address on this link.
        package var peerAddress: DeviceAddress
        /// The identity that the local device distributes.
        package var identity: Pairing.LocalIdentity

        package init(
            isCentral: Bool,
            localAddress: DeviceAddress,
            peerAddress: DeviceAddress,
            identity: Pairing.LocalIdentity
        ) {
            self.isCentral = isCentral
            self.localAddress = localAddress
            self.peerAddress = peerAddress
            self.identity = identity
        }
    }

    /// The current use of the channel.
    enum Activity: Sendable {
        case none
        case pairing(ActivePairing)
        /// A pairing has timed out. No further PDU is sent or processed (Vol 3, Part H, 3.4).
        case ended
    }

    /// A pairing in progress, or an open local Security Request.
    struct ActivePairing: Sendable {
        var state: PairingState
        /// The time at which the pairing times out.
        var deadline: Instant
        /// The number of PDUs of the peer that were processed.
        var received = 0
    }

    /// The time that a pairing may take without progress (Vol 3, Part H, 3.4).
    package static let timeout = Duration.seconds(30)

    /// The maximum number of PDUs of the peer in one pairing.
    ///
    /// The longest pairing needs about fifty PDUs and the keypress notifications. Without this
    /// limit, a peer could delay the user without end, because each PDU restarts the timeout.
    package static let pduLimit = 500

    package let context: Context

    /// The policy for pairings that the peer starts, or `nil` to refuse them.
    package var policyForPeer: Pairing.Policy?

    /// The reason to refuse the peer's pairings for now, for example `repeatedAttempts` or `busy`,
    /// or `nil` to permit them.
    package var refusalForPeer: Pairing.FailureReason?

    /// The security of the bond with this peer, or `nil` if there is none. A pairing must not
    /// reduce it, unless its policy allows that (`allowsWeakerBond`).
    package var existingBond: LinkSecurity?

    private(set) var activity = Activity.none

    package init(_ context: Context) {
        self.context = context
    }
}

// The state of the pairing.
extension SecurityManager {
    /// Whether a pairing is in progress, or a local Security Request is open.
    package var isPairing: Bool { activePairing != nil }

    /// Whether a pairing has timed out, so that nothing more may be sent on the channel.
    package var isSilenced: Bool {
        if case .ended = activity { true } else { false }
    }

    /// The method of the pairing in progress, or `nil` before it is determined. It is determined
    /// before any question.
    package var method: Pairing.Method? { state?.phase.session?.terms.method }

    /// The security of a link with the key of the pairing in progress, or `nil` before it is
    /// determined.
    package var strength: LinkSecurity? { state?.phase.session?.terms.strength }

    /// The time at which to call `deadlinePassed`, or `nil` if `isPairing` is `false`.
    package var nextDeadline: Instant? { activePairing?.deadline }

    /// Returns the key of the pairing in progress if the central requests it with these numbers
    /// (peripheral only).
    package func key(diversifier: UInt16, random: UInt64) -> HCI.Key128? {
        guard !context.isCentral, diversifier == 0, random == 0,
            case .awaitingEncryption(let phase) = state
        else { return nil }
        return phase.key.value
    }

    var activePairing: ActivePairing? {
        if case .pairing(let activePairing) = activity { activePairing } else { nil }
    }

    var state: PairingState? { activePairing?.state }
}

// Requests of the caller, and timeouts.
extension SecurityManager {
    /// Starts a pairing: a central sends a Pairing Request, and a peripheral a Security Request.
    ///
    /// If the central answers a Security Request by encrypting with an existing key, the request is
    /// closed without an action.
    ///
    /// The result is the failure `busy` if a pairing is in progress or a local Security Request is
    /// open, which then continues, and `timedOut` if an earlier pairing has timed out. It is
    /// `refused` if the policy allows no pairing, or if the local capabilities cannot provide the
    /// required authentication. The peer is then informed only if it waits for a response
    /// (`isRequestedByPeer`).
    ///
    /// - Parameters:
    ///   - policy: The policy for the pairing.
    ///   - isRequestedByPeer: Whether this is the response to `securityRequested`.
    ///   - asksConsent: Whether the user is asked for consent if the method is Just Works. The user
    ///     is also asked with `isRequestedByPeer`, or if the policy requires it
    ///     (`Pairing.Consent.always`).
    package mutating func pair(
        _ policy: Pairing.Policy,
        isRequestedByPeer: Bool = false,
        asksConsent: Bool = false,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        switch activity {
        case .ended: return [.failed(.timedOut)]
        case .pairing: return [.failed(.busy)]
        case .none: break
        }
        do throws(PairingRefusal) {
            try policy.check(replacing: existingBond)
        } catch {
            // The peer waits for a response to its Security Request.
            let answer: [Action] = isRequestedByPeer ? [.send(.failed(error.reason))] : []
            return answer + [.failed(error.failure)]
        }
        let asksConsent = asksConsent || isRequestedByPeer
        return take(
            context.isCentral
                ? AwaitingResponse.begin(context, policy, existingBond, asksConsent)
                : AwaitingRequest.begin(context, policy, existingBond, asksConsent),
            now: now
        )
    }

    /// Cancels the pairing in progress.
    package mutating func cancel() -> [Action] {
        switch state {
        case nil: return []
        // The peer does not know of a pairing yet, so nothing is sent.
        case .awaitingRequest:
            activity = .none
            return [.failed(.cancelled)]
        case let state?: return fail(.cancelled(state.phase.cancellationReason))
        }
    }

    /// Ends the pairing in progress, and sends this reason to the peer.
    package mutating func refuse(_ reason: Pairing.FailureReason) -> [Action] {
        isPairing ? fail(PairingRefusal(reason)) : []
    }

    /// Ends the pairing if its deadline has passed. Call this at `nextDeadline` or later.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        guard let activePairing, activePairing.deadline <= now else { return [] }
        let withdrawals = withdrawals()
        // A Security Request may remain unanswered (Vol 3, Part H, 2.4.6), but a pairing must not.
        if case .awaitingRequest = activePairing.state {
            activity = .none
        } else {
            activity = .ended
        }
        return withdrawals + [.failed(.timedOut)]
    }
}

// Transitions of the channel's state after a step or a failure.
extension SecurityManager {
    /// Applies a step, and restarts the timeout. The step results from a PDU or a change of
    /// encryption, or it sends a PDU.
    mutating func take(_ step: PairingStep, now: Instant, isReceived: Bool = false) -> [Action] {
        let received = (activePairing?.received ?? 0) + (isReceived ? 1 : 0)
        activity =
            step.state.map { state in
                .pairing(
                    ActivePairing(state: state, deadline: now + Self.timeout, received: received)
                )
            } ?? .none
        return step.actions
    }

    /// Applies a step that sends no PDU after an answer of the user. The timeout continues.
    mutating func takeSilently(_ step: PairingStep) -> [Action] {
        guard var activePairing, let state = step.state else { return step.actions }
        activePairing.state = state
        activity = .pairing(activePairing)
        return step.actions
    }

    mutating func fail(_ refusal: PairingRefusal, isAnswered: Bool = false) -> [Action] {
        let withdrawals = withdrawals(isAnswered: isAnswered)
        activity = .none
        return [.send(.failed(refusal.reason))] + withdrawals + [.failed(refusal.failure)]
    }

    mutating func end(_ failure: Pairing.Failure) -> [Action] {
        let withdrawals = withdrawals()
        activity = .none
        return withdrawals + [.failed(failure)]
    }

    private func withdrawals(isAnswered: Bool = false) -> [Action] {
        guard let phase = state?.phase else { return [] }
        return phase.isDisplaying || phase.isAsking && !isAnswered ? [.withdrawQuestion] : []
    }
}
