// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@Suite("Pairing with LE Secure Connections")
struct SecureConnectionsTests {
    @Test("Just Works pairs and bonds") func justWorks() throws {
        var dialogue = PairingDialogue()
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
        let keys = try #require(dialogue.central.keys)
        #expect(keys.usesSecureConnections)
        #expect(keys.isBonded)
        #expect(keys.keySize == 16)
        #expect(keys.peerKey == keys.localKey)
        #expect(keys.peerKey.map { [$0.value] } == dialogue.linkKeys)
    }

    @Test("Each side receives the identity of its peer") func identities() throws {
        var dialogue = PairingDialogue()
        dialogue.pair()
        let keys = try #require(dialogue.central.keys)
        let other = try #require(dialogue.peripheral.keys)
        #expect(keys.peerIdentity == dialogue.peripheral.manager.context.identity.address)
        #expect(keys.peerResolvingKey == PairingDialogue.key(2))
        #expect(other.peerIdentity == dialogue.central.manager.context.identity.address)
        #expect(other.peerResolvingKey == PairingDialogue.key(1))
        #expect(keys.localSigningKey != nil && keys.peerSigningKey != nil)
    }

    @Test("Only the responding user is asked for consent")
    func consentOfResponder() {
        var dialogue = PairingDialogue()
        dialogue.pair()
        #expect(dialogue.central.questions.isEmpty)
        #expect(dialogue.peripheral.questions == [.consent])
        #expect(dialogue.peripheral.actions.first == .begun)
        #expect(!dialogue.central.actions.contains(.begun))
    }

    @Test("No PDU is sent before consent") func silenceBeforeConsent() {
        var dialogue = PairingDialogue()
        dialogue.peripheral.answer = { _ in nil }
        dialogue.pair()
        #expect(dialogue.peripheral.sent.isEmpty)
        #expect(dialogue.peripheral.manager.isPairing)
        dialogue.peripheral.answer(.no)
        dialogue.run()
        #expect(dialogue.peripheral.failure == .declined)
        #expect(dialogue.central.failure == .refusedByPeer(.pairingNotSupported))
    }

    @Test("Both users compare the same number") func sameNumber() throws {
        var dialogue = PairingDialogue(.init(.displayYesNo), .init(.keyboardDisplay))
        dialogue.pair()
        try dialogue.expectSuccess(.numericComparison)
        let number = try #require(dialogue.central.compared)
        #expect(dialogue.peripheral.compared == number)
        #expect(number <= 999_999)
    }

    @Test("A user who reports different numbers ends the pairing", arguments: [true, false])
    func differentNumbers(isByCentral: Bool) {
        var dialogue = PairingDialogue(.init(.displayYesNo), .init(.displayYesNo))
        let no: @Sendable (Pairing.Question) -> Pairing.Answer? = { _ in .no }
        if isByCentral { dialogue.central.answer = no } else { dialogue.peripheral.answer = no }
        dialogue.pair()
        let refuser = isByCentral ? dialogue.central : dialogue.peripheral
        let other = isByCentral ? dialogue.peripheral : dialogue.central
        #expect(refuser.failure == .declined)
        #expect(refuser.sentFailures == [.numericComparisonFailed])
        #expect(other.failure == .refusedByPeer(.numericComparisonFailed))
        #expect(dialogue.linkKeys.isEmpty)
    }

    @Test("Either user may be the second to answer", arguments: [true, false])
    func slowerUser(isCentralSlow: Bool) throws {
        var dialogue = PairingDialogue(.init(.displayYesNo), .init(.displayYesNo))
        let silence: @Sendable (Pairing.Question) -> Pairing.Answer? = { _ in nil }
        if isCentralSlow {
            dialogue.central.answer = silence
        } else {
            dialogue.peripheral.answer = silence
        }
        dialogue.pair()
        #expect(dialogue.linkKeys.isEmpty)
        if isCentralSlow { dialogue.central.answer(.yes) } else { dialogue.peripheral.answer(.yes) }
        dialogue.run()
        try dialogue.expectSuccess(.numericComparison)
    }

    @Test("Each pairing has new keys") func freshKeys() throws {
        var first = PairingDialogue(seed: 1)
        var second = PairingDialogue(seed: 2)
        first.pair()
        second.pair()
        #expect(first.linkKeys != second.linkKeys)
        let publicKeys = [first, second].flatMap { $0.central.sent }.compactMap {
            if case .publicKey(let key) = $0 { key } else { nil }
        }
        #expect(publicKeys.count == 2 && publicKeys[0] != publicKeys[1])
    }
}
