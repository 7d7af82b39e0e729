// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

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
        guard let course else { return receiveFirst(pdu, using: &generator, now: now) }
        switch pdu {
        case .failed(let reason): return end(.refusedByPeer(reason))
        // It asks for what is under way (Vol 3, Part H, 2.4.6).
        case .securityRequest where context.isCentral: return []
        default: break
        }
        do throws(Refusal) {
            guard course.heard < Self.pduLimit else { throw .endless }
            // It had to wait before we asked for it, or has since: elsewhere, say.
            if case (.pairingRequest, .awaitingRequest) = (pdu, course.state), let refusalForPeer {
                throw Refusal(refusalForPeer)
            }
            let step = try course.state.phase.receive(pdu, using: &generator)
            return take(step, now: now, isHeard: true)
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
            let isSilent = !step.actions.contains { $0.isSending }
            return isSilent ? takeSilently(step) : take(step, now: now)
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
        let phase = AwaitingRequest(
            context: context,
            policy: policyForPeer,
            bond: existingBond,
            asksConsent: true
        )
        do throws(Refusal) {
            let step = try phase.accept(request, using: &generator)
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
