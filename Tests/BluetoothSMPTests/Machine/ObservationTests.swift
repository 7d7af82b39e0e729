// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

/// The properties of a Security Manager between two events.
@Suite("The state of a pairing")
struct ObservationTests {
    @Test("A new Security Manager is idle") func idle() {
        let manager = PairingDialogue().central.manager
        #expect(!manager.isPairing)
        #expect(manager.method == nil && manager.strength == nil)
        #expect(manager.nextDeadline == nil)
    }

    @Test("The method is known when a question is asked")
    func methodAtQuestion() {
        var dialogue = PairingDialogue(.init(.displayYesNo), .init(.displayYesNo))
        dialogue.central.answer = { _ in nil }
        dialogue.peripheral.answer = { _ in nil }
        dialogue.pair()
        #expect(dialogue.central.manager.method == .numericComparison)
        #expect(dialogue.peripheral.manager.method == .numericComparison)
    }

    @Test("The method is known when consent is requested")
    func methodAtConsent() {
        var dialogue = PairingDialogue()
        dialogue.peripheral.answer = { _ in nil }
        dialogue.pair()
        #expect(dialogue.peripheral.manager.method == .justWorks)
        #expect(dialogue.central.manager.method == nil)
    }

    @Test("The strength is known before encryption", arguments: [false, true])
    func securityBeforeEncryption(isLegacy: Bool) {
        let policy: Pairing.Policy = isLegacy ? .legacy() : .init(.displayYesNo)
        var dialogue = PairingDialogue(policy, policy)
        dialogue.central.pair(policy)
        while dialogue.central.actions.allSatisfy({ !$0.isEncrypting }), dialogue.step() {}
        let expected = LinkSecurity(
            isEncrypted: true,
            isAuthenticated: !isLegacy,
            usesSecureConnections: !isLegacy,
            keySize: 16
        )
        #expect(dialogue.central.manager.strength == expected)
        #expect(dialogue.peripheral.manager.strength == expected)
    }

    @Test("The key is returned only for its diversifier and random number")
    func keyLookup() throws {
        var dialogue = PairingDialogue()
        dialogue.central.pair(.init())
        while dialogue.central.actions.allSatisfy({ !$0.isEncrypting }), dialogue.step() {}
        let manager = dialogue.peripheral.manager
        #expect(manager.key(diversifier: 0, random: 0) != nil)
        #expect(manager.key(diversifier: 1, random: 0) == nil)
        #expect(manager.key(diversifier: 0, random: 1) == nil)
        #expect(dialogue.central.manager.key(diversifier: 0, random: 0) == nil)
    }

    @Test("The key is discarded when the pairing ends") func keyDiscarded() {
        var dialogue = PairingDialogue()
        dialogue.pair()
        #expect(dialogue.peripheral.manager.key(diversifier: 0, random: 0) == nil)
        #expect(dialogue.peripheral.manager.strength == nil)
        #expect(dialogue.peripheral.manager.nextDeadline == nil)
    }

    @Test("A second pairing fails as busy, and the first pairing continues")
    func secondPairing() throws {
        var dialogue = PairingDialogue()
        dialogue.central.pair(.init())
        dialogue.central.pair(.init())
        #expect(dialogue.central.actions.last == .failed(.busy))
        #expect(dialogue.central.manager.isPairing)
        dialogue.run()
        #expect(dialogue.peripheral.keys != nil && dialogue.central.keys != nil)
    }

    @Test("A pairing fails after a limited number of keypresses") func endlessKeypresses() {
        var dialogue = PasskeyTests.dialogue(.peripheralShows, isLegacy: false, keypresses: true)
        dialogue.pair()
        for second in 0..<(2 * SecurityManager.pduLimit) {
            dialogue.peripheral.receive(
                .keypress(.digitEntered),
                now: .zero + .seconds(second)
            )
        }
        #expect(dialogue.peripheral.failure == .refused(.unspecified))
        #expect(dialogue.peripheral.pressed.count <= SecurityManager.pduLimit)
    }

    @Test("An answer restarts the timeout only if it sends a PDU")
    func answerTimeout() {
        var dialogue = PasskeyTests.dialogue(.peripheralShows, isLegacy: false)
        dialogue.pair()
        let later = Instant.zero + .seconds(20)
        dialogue.central.answer(.keypress(.digitEntered), now: later)
        #expect(dialogue.central.manager.nextDeadline == .zero + .seconds(30))
        dialogue.central.answer(.passkey(1), now: later)
        #expect(dialogue.central.manager.nextDeadline == later + .seconds(30))
    }
}
