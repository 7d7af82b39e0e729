// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The Security Manager of one link (Vol 3, Part H): begins pairings and answers those of the peer.
///
/// One pairing runs at a time. Whatever happens to it is an action, the last of which is `paired` or
/// `failed`. A pairing that has stood still for 30 seconds has failed, and the channel is dead for as
/// long as the link lasts (Vol 3, Part H, 3.4).
package struct SecurityManager: Sendable {
    /// What is known of a link before anything is paired on it.
    package struct Context: Hashable, Sendable {
        /// Which end of the link is ours.
        package var isCentral: Bool
        /// The address that we have used on this link.
        package var localAddress: DeviceAddress
        /// The address that the peer has used on this link.
        package var peerAddress: DeviceAddress
        /// Who we are, to be told to the peer.
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

    /// What the channel is used for.
    enum Activity: Sendable {
        case none
        case pairing(Course)
        /// A pairing has timed out: nothing is sent or heard any more (Vol 3, Part H, 3.4).
        case ended
    }

    /// A pairing that is under way, or a Security Request of ours that is open.
    struct Course: Sendable {
        var state: PairingState
        /// When it has stood still for too long.
        var deadline: Instant
        /// How many PDUs of the peer it has taken.
        var heard = 0
    }

    /// How long a pairing may stand still (Vol 3, Part H, 3.4).
    package static let timeout = Duration.seconds(30)

    /// How many PDUs of the peer a pairing may take: far more than any needs, of which the longest
    /// has some fifty and whatever is told of digits. Otherwise a peer could keep a person waiting
    /// for ever, and each PDU starts the time anew.
    package static let pduLimit = 500

    package let context: Context

    /// What pairings may come to that the peer asks for; nil: there are none.
    package var policyForPeer: Pairing.Policy?

    /// Why the peer may not pair now, although there is a policy: `repeatedAttempts`, say, or `busy`;
    /// nil: it may.
    package var refusalForPeer: Pairing.FailureReason?

    /// The strength of the bond with this peer, which a pairing must not lower; nil without one.
    package var existingBond: LinkSecurity?

    private(set) var activity = Activity.none

    package init(_ context: Context) {
        self.context = context
    }
}

// What is under way.
extension SecurityManager {
    /// Whether a pairing is under way, or a Security Request of ours open.
    package var isPairing: Bool { course != nil }

    /// Whether a pairing has timed out, and nothing may be sent on the channel any more.
    package var isSilenced: Bool {
        if case .ended = activity { true } else { false }
    }

    /// How the two sides make sure of each other in the pairing under way; nil as long as they have
    /// not agreed, which they have when anything is asked.
    package var method: Pairing.Method? { state?.phase.session?.terms.method }

    /// How good the key of the pairing under way is, or will be; nil as long as the two sides have
    /// not agreed.
    package var strength: LinkSecurity? { state?.phase.session?.terms.strength }

    /// When `deadlinePassed` has to be called.
    package var nextDeadline: Instant? { course?.deadline }

    /// The key of the pairing under way, if the Central asks for it by this name (Peripheral only).
    package func key(diversifier: UInt16, random: UInt64) -> HCI.Key128? {
        guard !context.isCentral, diversifier == 0, random == 0,
            case .awaitingEncryption(let phase) = state
        else { return nil }
        return phase.key.value
    }

    var course: Course? {
        if case .pairing(let course) = activity { course } else { nil }
    }

    var state: PairingState? { course?.state }
}

// What the caller wants, and the clock.
extension SecurityManager {
    /// Begins a pairing: as Central by a Pairing Request, as Peripheral by a Security Request, which
    /// the Central may answer by encrypting with a key that it has. Then the request is no longer
    /// open, and there is no action.
    ///
    /// Fails with `busy` while a pairing is under way, which goes on; with `refused` if no peer could
    /// be what the policy demands. Then nothing is sent, unless the peer waits for an answer.
    ///
    /// - Parameters:
    ///   - isWantedByPeer: whether this is in answer to `wanted`.
    ///   - asksConsent: whether a person is asked for consent, if nothing else shows that the pairing
    ///     is wanted here. In answer to `wanted`, one always is.
    package mutating func pair(
        _ policy: Pairing.Policy,
        isWantedByPeer: Bool = false,
        asksConsent: Bool = false,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        switch activity {
        case .ended: return [.failed(.timedOut)]
        case .pairing: return [.failed(.busy)]
        case .none: break
        }
        do throws(Refusal) {
            try policy.judge(replacing: existingBond)
        } catch {
            // Who asked for it would wait in vain.
            let answer: [Action] = isWantedByPeer ? [.send(.failed(error.reason))] : []
            return answer + [.failed(error.failure)]
        }
        let asksConsent = asksConsent || isWantedByPeer
        return take(
            context.isCentral
                ? AwaitingResponse.begin(context, policy, existingBond, asksConsent)
                : AwaitingRequest.begin(context, policy, existingBond, asksConsent),
            now: now
        )
    }

    /// The caller gives up the pairing that is under way.
    package mutating func cancel() -> [Action] {
        switch state {
        case nil: return []
        // There is no pairing yet that the peer could be told about.
        case .awaitingRequest:
            activity = .none
            return [.failed(.cancelled)]
        case let state?: return fail(.cancelled(state.phase.reasonOfCancelling))
        }
    }

    /// To be called at `nextDeadline` or later.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        guard let course, course.deadline <= now else { return [] }
        let withdrawals = withdrawals()
        // A Security Request need not be answered (Vol 3, Part H, 2.4.6); a pairing must go on.
        if case .awaitingRequest = course.state { activity = .none } else { activity = .ended }
        return withdrawals + [.failed(.timedOut)]
    }
}

// How a step, or a failure, becomes the state of the channel.
extension SecurityManager {
    /// What has come of a PDU, or of something else that the peer hears of.
    mutating func take(_ step: Step, now: Instant, isHeard: Bool = false) -> [Action] {
        let heard = (course?.heard ?? 0) + (isHeard ? 1 : 0)
        activity =
            step.state.map { state in
                .pairing(Course(state: state, deadline: now + Self.timeout, heard: heard))
            } ?? .none
        return step.actions
    }

    /// What has come of something that the peer does not hear of: its time goes on.
    mutating func takeSilently(_ step: Step) -> [Action] {
        guard var course, let state = step.state else { return step.actions }
        course.state = state
        activity = .pairing(course)
        return step.actions
    }

    mutating func fail(_ refusal: Refusal, isAnswered: Bool = false) -> [Action] {
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
