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
    private enum Activity: Sendable {
        case none
        case pairing(PairingState, deadline: Instant, heard: Int)
        /// A pairing has timed out: nothing is sent or heard any more (Vol 3, Part H, 3.4).
        case ended
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

    private var activity = Activity.none

    package init(_ context: Context) {
        self.context = context
    }
}

// What is under way.
extension SecurityManager {
    /// Whether a pairing is under way, or a Security Request of ours open.
    package var isPairing: Bool { state != nil }

    /// How the two sides make sure of each other in the pairing under way; nil as long as they have
    /// not agreed, which they have when anything is asked.
    package var method: Pairing.Method? { state?.phase.session?.terms.method }

    /// How good the key of the pairing under way is, or will be; nil as long as the two sides have
    /// not agreed.
    package var strength: LinkSecurity? { state?.phase.session?.terms.strength }

    /// When `deadlinePassed` has to be called.
    package var nextDeadline: Instant? {
        if case .pairing(_, let deadline, _) = activity { deadline } else { nil }
    }

    /// The key of the pairing under way, if the Central asks for it by this name (Peripheral only).
    package func key(diversifier: UInt16, random: UInt64) -> HCI.Key128? {
        guard !context.isCentral, diversifier == 0, random == 0,
            case .awaitingEncryption(let phase) = state
        else { return nil }
        return phase.key.value
    }

    private var state: PairingState? {
        if case .pairing(let state, _, _) = activity { state } else { nil }
    }

    private var heard: Int {
        if case .pairing(_, _, let heard) = activity { heard } else { 0 }
    }
}

// What the caller wants, and the clock.
extension SecurityManager {
    /// Begins a pairing: as Central by a Pairing Request, as Peripheral by a Security Request, which
    /// the Central may answer by encrypting with a key that it has. Then the request is no longer
    /// open, and there is no action.
    ///
    /// Fails with `busy` while a pairing is under way, which goes on; with `refused` and nothing sent
    /// if no peer could be what the policy demands.
    ///
    /// - Parameter isWantedByPeer: whether this is in answer to `wanted`. Then a person is asked for
    ///   consent, if nothing else shows that the pairing is wanted here.
    package mutating func pair(
        _ policy: Pairing.Policy,
        isWantedByPeer: Bool = false,
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
            return [.failed(error.failure)]
        }
        return take(
            context.isCentral
                ? AwaitingResponse.begin(context, policy, existingBond, isWantedByPeer)
                : AwaitingRequest.begin(context, policy, existingBond),
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
        guard let state, let deadline = nextDeadline, deadline <= now else { return [] }
        let withdrawals = withdrawals()
        // A Security Request need not be answered (Vol 3, Part H, 2.4.6); a pairing must go on.
        if case .awaitingRequest = state { activity = .none } else { activity = .ended }
        return withdrawals + [.failed(.timedOut)]
    }
}

// What happens.
extension SecurityManager {
    /// A PDU has arrived on the channel.
    package mutating func receive(
        _ bytes: ArraySlice<UInt8>,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        if case .ended = activity { return [] }
        guard let pdu = try? SMP.PDU(parsing: bytes) else { return receiveMalformed(bytes) }
        // Later versions may have more of them (Vol 3, Part H, 3.3).
        if case .unknown(let code) = pdu { return [.violated("unknown PDU \(code)")] }
        guard let state else { return receiveFirst(pdu, using: &generator, now: now) }
        switch pdu {
        case .failed(let reason): return end(.refusedByPeer(reason))
        // It asks for what is under way (Vol 3, Part H, 2.4.6).
        case .securityRequest where context.isCentral: return []
        default: break
        }
        do throws(Refusal) {
            guard heard < Self.pduLimit else { throw .endless }
            let step = try state.phase.receive(pdu, using: &generator)
            return take(step, now: now, heard: heard + 1)
        } catch {
            return (error.violation.map { [.violated($0)] } ?? []) + fail(error)
        }
    }

    /// The person who was asked has answered. An answer to nothing changes nothing.
    package mutating func answer(
        _ answer: Pairing.Answer,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        guard let state else { return [] }
        do throws(Refusal) {
            guard let step = try state.phase.answer(answer, using: &generator) else { return [] }
            // The peer waits for PDUs, and not for what goes on here.
            let isHeard = step.actions.contains { $0.isSending }
            return take(step, now: isHeard ? now : nil)
        } catch {
            return fail(error, isAnswered: true)
        }
    }

    /// Encryption with the key of the pairing is on, or could not be begun: Phase 3, or the end. Not
    /// for encryption with the key of a bond, but while a Security Request of ours is open.
    package mutating func encryptionChanged(
        isEncrypted: Bool,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        guard let state else { return [] }
        do throws(Refusal) {
            let step = try state.phase.encryptionChanged(
                isEncrypted: isEncrypted,
                using: &generator
            )
            return step.map { take($0, now: now) } ?? []
        } catch {
            return fail(error)
        }
    }
}

// PDUs outside of a pairing.
extension SecurityManager {
    /// Octets that are no PDU.
    private mutating func receiveMalformed(_ bytes: ArraySlice<UInt8>) -> [Action] {
        let violation = Action.violated("malformed PDU")
        guard !isPairing else { return [violation] + fail(Refusal(.invalidParameters)) }
        // Only who begins something waits for an answer.
        let beginning: SMP.Code = context.isCentral ? .securityRequest : .pairingRequest
        guard bytes.first == beginning.rawValue else { return [violation] }
        return [violation, .send(.failed(.invalidParameters))]
    }

    private mutating func receiveFirst(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        switch pdu {
        case _ where pdu.isUnsupported(byCentral: context.isCentral):
            return [.violated("unexpected \(pdu.code)"), .send(.failed(.commandNotSupported))]
        case .pairingRequest(let request): return receive(request, using: &generator, now: now)
        case .securityRequest(let requirements): return receive(requirements)
        case .failed: return []
        default: return [.violated("unexpected \(pdu.code)")]
        }
    }

    private mutating func receive(
        _ request: SMP.PairingFeatures,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        guard let policyForPeer, refusalForPeer == nil else {
            return [.send(.failed(refusalForPeer ?? .pairingNotSupported))]
        }
        let phase = AwaitingRequest(context: context, policy: policyForPeer, bond: existingBond)
        do throws(Refusal) {
            let step = try phase.accept(request, asksConsent: true, using: &generator)
            return [.begun] + take(step, now: now)
        } catch {
            return [.begun] + fail(error)
        }
    }

    /// A Peripheral is told if nothing will come of its request; what would be good enough, the
    /// caller knows better.
    private func receive(_ requirements: SMP.AuthenticationRequirements) -> [Action] {
        guard existingBond != nil || policyForPeer != nil && refusalForPeer == nil else {
            return [.send(.failed(refusalForPeer ?? .pairingNotSupported))]
        }
        return [
            .wanted(
                isAuthenticated: requirements.contains(.protection),
                usesSecureConnections: requirements.contains(.secureConnections)
            )
        ]
    }
}

// How a step, or a failure, becomes the state of the channel.
extension SecurityManager {
    /// - Parameters:
    ///   - now: nil if the time does not start anew.
    ///   - heard: how many PDUs have come by now; nil if as many as before.
    private mutating func take(_ step: Step, now: Instant?, heard: Int? = nil) -> [Action] {
        let deadline = now.map { $0 + Self.timeout } ?? nextDeadline
        if let state = step.state, let deadline {
            activity = .pairing(state, deadline: deadline, heard: heard ?? self.heard)
        } else {
            activity = .none
        }
        return step.actions
    }

    private mutating func fail(_ refusal: Refusal, isAnswered: Bool = false) -> [Action] {
        let withdrawals = withdrawals(isAnswered: isAnswered)
        activity = .none
        return [.send(.failed(refusal.reason))] + withdrawals + [.failed(refusal.failure)]
    }

    private mutating func end(_ failure: Pairing.Failure) -> [Action] {
        let withdrawals = withdrawals()
        activity = .none
        return withdrawals + [.failed(failure)]
    }

    private func withdrawals(isAnswered: Bool = false) -> [Action] {
        guard let phase = state?.phase else { return [] }
        return phase.isDisplaying || phase.isAsking && !isAnswered ? [.withdrawQuestion] : []
    }
}
