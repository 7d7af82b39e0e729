// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// Events.
extension SecurityManager {
    /// Processes a PDU that arrived on the channel.
    package mutating func receive(
        _ bytes: ArraySlice<UInt8>,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        if case .ended = activity { return [] }
        guard let pdu = try? SMP.PDU(parsing: bytes) else { return receiveMalformed(bytes) }
        // Later versions may define more PDUs (Vol 3, Part H, 3.3).
        if case .unknown(let code) = pdu { return [.violated("unknown PDU \(code)")] }
        guard let activePairing else { return receiveFirst(pdu, using: &generator, now: now) }
        switch pdu {
        case .failed(let reason): return end(.refusedByPeer(reason))
        // The request asks for the pairing that is in progress (Vol 3, Part H, 2.4.6).
        case .securityRequest where context.isCentral: return []
        default: break
        }
        do throws(PairingRefusal) {
            guard activePairing.received < Self.pduLimit else { throw .endless }
            // The peer's pairings can be refused even after a local Security Request, for example
            // because the user is now asked a question about another link.
            if case (.pairingRequest, .awaitingRequest) = (pdu, activePairing.state),
                let refusalForPeer
            {
                throw PairingRefusal(refusalForPeer)
            }
            let step = try activePairing.state.phase.receive(pdu, using: &generator)
            return take(step, now: now, isReceived: true)
        } catch {
            return (error.violation.map { [.violated($0)] } ?? []) + fail(error)
        }
    }

    /// Processes the user's answer. An answer without an open question has no effect.
    package mutating func answer(
        _ answer: Pairing.Answer,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        guard let state else { return [] }
        do throws(PairingRefusal) {
            guard let step = try state.phase.answer(answer, using: &generator) else { return [] }
            let isSilent = !step.actions.contains { $0.isSending }
            return isSilent ? takeSilently(step) : take(step, now: now)
        } catch {
            return fail(error, isAnswered: true)
        }
    }

    /// Processes a change of encryption with the key of the pairing, which starts phase 3 or ends
    /// the pairing.
    ///
    /// If the link is encrypted with the key of a bond, call this only while a local Security
    /// Request is open.
    package mutating func encryptionChanged(
        isEncrypted: Bool,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        guard let state else { return [] }
        do throws(PairingRefusal) {
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
    /// Processes bytes that are not a PDU.
    private mutating func receiveMalformed(_ bytes: ArraySlice<UInt8>) -> [Action] {
        let violation = Action.violated("malformed PDU")
        guard !isPairing else { return [violation] + fail(PairingRefusal(.invalidParameters)) }
        // Only a PDU that starts a procedure has a sender that waits for a response.
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
        do throws(PairingRefusal) {
            let step = try phase.accept(request, using: &generator)
            return [.begun] + take(step, now: now)
        } catch {
            return [.begun] + fail(error)
        }
    }

    /// Processes a Security Request. Refuses it if there is neither a bond to encrypt the link
    /// with, nor permission for a pairing. Otherwise, the caller decides whether the bond is
    /// sufficient (`Action.securityRequested`).
    private func receive(_ requirements: SMP.AuthenticationRequirements) -> [Action] {
        guard existingBond != nil || policyForPeer != nil && refusalForPeer == nil else {
            return [.send(.failed(refusalForPeer ?? .pairingNotSupported))]
        }
        return [
            .securityRequested(
                isAuthenticated: requirements.contains(.protection),
                usesSecureConnections: requirements.contains(.secureConnections)
            )
        ]
    }
}
