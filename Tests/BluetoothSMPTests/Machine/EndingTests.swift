// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

/// Pairings that are canceled or stop at any step.
@Suite("The end of a pairing")
struct EndingTests {
    /// A kind of pairing.
    enum PairingKind: CaseIterable {
        case justWorks, comparison, passkey, legacy, legacyPasskey

        var policies: (central: Pairing.Policy, peripheral: Pairing.Policy) {
            switch self {
            case .justWorks: (.init(), .init())
            case .comparison: (.init(.displayYesNo), .init(.displayYesNo))
            case .passkey: (.init(.keyboardOnly), .init(.keyboardOnly))
            case .legacy: (.legacy(), .legacy())
            case .legacyPasskey: (.legacy(.keyboardOnly), .legacy(.keyboardOnly))
            }
        }
    }

    /// Returns a pairing after this number of steps, or `nil` if it has ended before.
    static func dialogue(_ kind: PairingKind, steps: Int, now: Instant = .zero) -> PairingDialogue?
    {
        var dialogue = PairingDialogue(kind.policies.central, kind.policies.peripheral)
        dialogue.central.answer = { $0 == .enterPasskey ? .passkey(42) : .yes }
        dialogue.peripheral.answer = dialogue.central.answer
        dialogue.central.pair(kind.policies.central, now: now)
        for _ in 0..<steps where !dialogue.step(now: now) { return nil }
        return dialogue
    }

    /// The numbers of steps that the tests try. No kind of pairing has as many steps as
    /// the last number.
    static let steps = 0..<120

    @Test("Every kind of pairing has enough steps for the tests", arguments: PairingKind.allCases)
    func stepCounts(kind: PairingKind) throws {
        var dialogue = try #require(Self.dialogue(kind, steps: 8))
        #expect(Self.dialogue(kind, steps: 119) == nil)
        dialogue.run()
        #expect(dialogue.central.keys != nil && dialogue.peripheral.keys != nil)
    }

    @Test(
        "Canceling at any step ends the pairing on both sides",
        arguments: PairingKind.allCases,
        [true, false]
    )
    func cancellation(kind: PairingKind, isByCentral: Bool) {
        for steps in Self.steps {
            guard var dialogue = Self.dialogue(kind, steps: steps) else { break }
            let side: WritableKeyPath<PairingDialogue, PairingSide> =
                isByCentral ? \.central : \.peripheral
            let other: WritableKeyPath<PairingDialogue, PairingSide> =
                isByCentral ? \.peripheral : \.central
            guard dialogue[keyPath: side].manager.isPairing else { continue }
            dialogue[keyPath: side].cancel()
            #expect(dialogue[keyPath: side].failure == .cancelled)
            #expect(!dialogue[keyPath: side].manager.isPairing)
            dialogue.run()
            #expect(dialogue[keyPath: side].keys == nil)
            #expect(dialogue[keyPath: other].failure != nil || dialogue[keyPath: other].keys != nil)
            #expect(!dialogue[keyPath: other].manager.isPairing)
        }
    }

    @Test(
        "A pairing that stops at any step closes the channel",
        arguments: PairingKind.allCases,
        [true, false]
    )
    func timeoutAtEveryStep(kind: PairingKind, isCentral: Bool) throws {
        for steps in Self.steps {
            guard let dialogue = Self.dialogue(kind, steps: steps) else { break }
            var side = isCentral ? dialogue.central : dialogue.peripheral
            guard side.manager.isPairing else { continue }
            let deadline = try #require(side.manager.nextDeadline)
            #expect(deadline == .zero + .seconds(30))
            side.deadlinePassed(now: .zero + .seconds(29))
            #expect(side.failure == nil)
            let count = side.sent.count
            side.deadlinePassed(now: deadline)
            #expect(side.failure == .timedOut)
            #expect(side.sent.count == count, "No further PDU is sent")
            try expectSilenced(side)
        }
    }

    private func expectSilenced(_ before: PairingSide) throws {
        var side = before
        #expect(side.manager.nextDeadline == nil)
        #expect(!side.manager.isPairing)
        side.actions.removeAll()
        for code in 0...0x10 as ClosedRange<UInt8> {
            side.receive([code] + [UInt8](repeating: 0, count: 6))
        }
        side.receive(.pairingRequest(.secureResponse))
        side.receive(.securityRequest(.bonding))
        side.answer(.yes)
        side.encryptionChanged()
        side.cancel()
        #expect(side.actions.isEmpty)
        side.pair(.init())
        #expect(side.actions == [.failed(.timedOut)])
    }

    @Test("Each PDU restarts the timeout") func restartedTimeout() {
        var dialogue = PairingDialogue()
        dialogue.central.pair(.init())
        var now = Instant.zero
        while dialogue.step(now: now) {
            now = now + .seconds(5)
            dialogue.central.deadlinePassed(now: now)
            dialogue.peripheral.deadlinePassed(now: now)
        }
        #expect(now > .zero + .seconds(60))
        #expect(dialogue.central.keys != nil && dialogue.peripheral.keys != nil)
    }

    @Test("An unanswered Security Request does not close the channel")
    func unansweredSecurityRequest() throws {
        var dialogue = PairingDialogue()
        dialogue.peripheral.pair(.init())
        dialogue.peripheral.deadlinePassed(now: .zero + .seconds(30))
        #expect(dialogue.peripheral.failure == .timedOut)
        #expect(!dialogue.peripheral.manager.isSilenced)
        dialogue.peripheral.actions.removeAll()
        dialogue.peripheral.outbox.removeAll()
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
    }

    @Test("A question is withdrawn at the timeout") func questionAtTimeout() {
        var dialogue = PairingDialogue()
        dialogue.peripheral.answer = { _ in nil }
        dialogue.pair()
        dialogue.peripheral.deadlinePassed(now: .zero + .seconds(30))
        #expect(dialogue.peripheral.actions.suffix(2) == [.withdrawQuestion, .failed(.timedOut)])
    }

    @Test("A question is withdrawn if the peer ends the pairing")
    func questionAtPeerFailure() {
        var dialogue = PairingDialogue(.init(.displayYesNo), .init(.displayYesNo))
        dialogue.peripheral.answer = { _ in nil }
        dialogue.central.answer = { _ in .no }
        dialogue.pair()
        #expect(
            dialogue.peripheral.actions.suffix(2) == [
                .withdrawQuestion, .failed(.refusedByPeer(.numericComparisonFailed)),
            ]
        )
    }

    @Test("An answer without a question has no effect")
    func unrequestedAnswer() {
        var dialogue = PairingDialogue()
        for answer in [.yes, .no, .passkey(1), .keypress(.cleared)] as [Pairing.Answer] {
            dialogue.central.answer(answer)
            dialogue.central.cancel()
        }
        #expect(dialogue.central.actions.isEmpty)
        dialogue.central.pair(.init())
        let count = dialogue.central.actions.count
        for answer in [.yes, .no, .passkey(1), .keypress(.cleared)] as [Pairing.Answer] {
            dialogue.central.answer(answer)
        }
        #expect(dialogue.central.actions.count == count)
    }

    @Test("An answer of the wrong kind is ignored") func wrongAnswer() throws {
        var dialogue = PairingDialogue(.init(.displayYesNo), .init(.displayYesNo))
        dialogue.central.answer = { _ in nil }
        dialogue.pair()
        dialogue.central.answer(.passkey(try #require(dialogue.central.compared)))
        dialogue.central.answer(.keypress(.digitEntered))
        #expect(dialogue.central.manager.isPairing)
        dialogue.central.answer(.yes)
        dialogue.run()
        try dialogue.expectSuccess(.numericComparison)
    }

    @Test("Encryption that fails to start ends the pairing", arguments: [true, false])
    func encryptionFailure(isCentral: Bool) {
        var dialogue = PairingDialogue()
        dialogue.central.pair(.init())
        while dialogue.central.actions.allSatisfy({ !$0.isEncrypting }), dialogue.step() {}
        var side = isCentral ? dialogue.central : dialogue.peripheral
        side.encryptionChanged(isEncrypted: false)
        #expect(side.failure == .notEncrypted)
        #expect(!side.manager.isPairing)
    }

    @Test("Another pairing may follow a failure")
    func pairingAfterFailure() throws {
        var dialogue = PairingDialogue(.init(.displayYesNo), .init(.displayYesNo))
        dialogue.central.answer = { _ in .no }
        dialogue.pair()
        #expect(dialogue.central.failure == .declined)
        dialogue.central.answer = { _ in .yes }
        dialogue.central.actions.removeAll()
        dialogue.peripheral.actions.removeAll()
        dialogue.pair()
        try dialogue.expectSuccess(.numericComparison)
    }

    @Test("Another pairing may follow a success")
    func pairingAfterSuccess() throws {
        var dialogue = PairingDialogue()
        dialogue.pair()
        let first = dialogue.central.keys
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
        #expect(dialogue.central.keys != first)
        #expect(dialogue.linkKeys.count == 2)
    }
}
