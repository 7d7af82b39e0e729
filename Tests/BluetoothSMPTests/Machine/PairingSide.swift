// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport

/// One device of a dialogue: its Security Manager with the actions, and its user.
struct PairingSide {
    var manager: SecurityManager
    var generator: SplitMix64

    /// Returns the user's answer to a question. `nil` gives no answer.
    var answer: @Sendable (Pairing.Question) -> Pairing.Answer? = { _ in .yes }

    /// Every action of the Security Manager, in order.
    var actions: [SecurityManager.Action] = []
    /// The PDUs on their way to the peer.
    var outbox: [[UInt8]] = []
    /// The questions without an answer.
    var open: [Pairing.Question] = []

    init(_ context: SecurityManager.Context, seed: UInt64) {
        manager = SecurityManager(context)
        generator = SplitMix64(seed: seed)
    }

    mutating func pair(
        _ policy: Pairing.Policy,
        isRequestedByPeer: Bool = false,
        asksConsent: Bool = false,
        now: Instant = .zero
    ) {
        take(
            manager.pair(
                policy,
                isRequestedByPeer: isRequestedByPeer,
                asksConsent: asksConsent,
                using: &generator,
                now: now
            )
        )
    }

    mutating func receive(_ pdu: [UInt8], now: Instant = .zero) {
        take(manager.receive(pdu[...], using: &generator, now: now))
    }

    mutating func receive(_ pdu: SMP.PDU, now: Instant = .zero) { receive(pdu.encode(), now: now) }

    mutating func answer(_ answer: Pairing.Answer, now: Instant = .zero) {
        take(manager.answer(answer, using: &generator, now: now))
    }

    mutating func encryptionChanged(isEncrypted: Bool = true, now: Instant = .zero) {
        take(
            manager.encryptionChanged(isEncrypted: isEncrypted, using: &generator, now: now)
        )
    }

    mutating func cancel() { take(manager.cancel()) }

    mutating func deadlinePassed(now: Instant) { take(manager.deadlinePassed(now: now)) }

    private mutating func take(_ new: [SecurityManager.Action]) {
        actions += new
        for action in new {
            switch action {
            case .send(let pdu): outbox.append(pdu)
            case .ask(.display): break
            case .ask(let question): open.append(question)
            default: break
            }
        }
    }
}

// Results.
extension PairingSide {
    var keys: Pairing.Keys? {
        actions.compactMap { if case .paired(let keys) = $0 { keys } else { nil } }.last
    }

    var failure: Pairing.Failure? {
        actions.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }.last
    }

    var questions: [Pairing.Question] {
        actions.compactMap { if case .ask(let question) = $0 { question } else { nil } }
    }

    var shown: UInt32? {
        questions.compactMap { if case .display(let number) = $0 { number } else { nil } }.last
    }

    var compared: UInt32? {
        questions.compactMap { if case .confirm(let number) = $0 { number } else { nil } }.last
    }

    var pressed: [Pairing.Keypress] {
        actions.compactMap { if case .pressed(let keypress) = $0 { keypress } else { nil } }
    }

    var sent: [SMP.PDU] {
        actions.compactMap {
            if case .send(let bytes) = $0 { try? SMP.PDU(parsing: bytes[...]) } else { nil }
        }
    }

    var sentFailures: [Pairing.FailureReason] {
        sent.compactMap { if case .failed(let reason) = $0 { reason } else { nil } }
    }

    var violations: [String] {
        actions.compactMap { if case .violated(let text) = $0 { text } else { nil } }
    }
}
