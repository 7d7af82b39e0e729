// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

/// Passkey Entry in its three forms, with LE Secure Connections and legacy pairing.
@Suite("Passkey Entry")
struct PasskeyTests {
    /// The side that displays the passkey.
    enum Form: CaseIterable {
        case centralShows, peripheralShows, neitherShows

        var capabilities: (central: Pairing.IOCapability, peripheral: Pairing.IOCapability) {
            switch self {
            case .centralShows: (.displayOnly, .keyboardOnly)
            case .peripheralShows: (.keyboardOnly, .displayOnly)
            case .neitherShows: (.keyboardOnly, .keyboardOnly)
            }
        }

        var methods: (central: Pairing.Method, peripheral: Pairing.Method) {
            switch self {
            case .centralShows: (.passkeyDisplay, .passkeyEntry)
            case .peripheralShows: (.passkeyEntry, .passkeyDisplay)
            case .neitherShows: (.passkeyEntryOnBoth, .passkeyEntryOnBoth)
            }
        }
    }

    /// Returns two devices on which no passkey has been entered.
    static func dialogue(
        _ form: Form,
        isLegacy: Bool,
        keypresses: Bool = false,
        seed: UInt64 = 1
    ) -> PairingDialogue {
        func policy(_ ioCapability: Pairing.IOCapability) -> Pairing.Policy {
            Pairing.Policy(ioCapability) {
                $0.usesSecureConnections = !isLegacy
                $0.allowsLegacyPairing = isLegacy
                $0.usesKeypressNotifications = keypresses
            }
        }
        let capabilities = form.capabilities
        var dialogue = PairingDialogue(
            policy(capabilities.central),
            policy(capabilities.peripheral),
            seed: seed
        )
        dialogue.central.answer = { _ in nil }
        dialogue.peripheral.answer = { _ in nil }
        return dialogue
    }

    @Test("A pairing with the right passkey succeeds", arguments: Form.allCases, [false, true])
    func rightPasskey(form: Form, isLegacy: Bool) throws {
        var dialogue = Self.dialogue(form, isLegacy: isLegacy)
        dialogue.pair()
        let shown = dialogue.central.shown ?? dialogue.peripheral.shown ?? 7
        dialogue.enter(shown)
        try dialogue.expectSuccess(form.methods.central, form.methods.peripheral)
        let keys = try #require(dialogue.central.keys)
        #expect(keys.method.isAuthenticated)
        #expect(keys.usesSecureConnections == !isLegacy)
    }

    @Test(
        "The order in which the users answer has no effect",
        arguments: Form.allCases,
        [false, true]
    )
    func orderOfAnswers(form: Form, isLegacy: Bool) throws {
        var dialogue = Self.dialogue(form, isLegacy: isLegacy)
        dialogue.pair()
        let shown = dialogue.central.shown ?? dialogue.peripheral.shown ?? 999_999
        if dialogue.peripheral.questions.contains(.enterPasskey) {
            dialogue.peripheral.answer(.passkey(shown))
            dialogue.run()
        }
        dialogue.enter(shown)
        try dialogue.expectSuccess(form.methods.central, form.methods.peripheral)
    }

    @Test(
        "A passkey that differs in one bit fails the pairing",
        arguments: Form.allCases,
        [false, true]
    )
    func wrongBit(form: Form, isLegacy: Bool) {
        for bit in [0, 1, 10, 19] as [UInt32] {
            var dialogue = Self.dialogue(form, isLegacy: isLegacy)
            dialogue.pair()
            let shown = dialogue.central.shown ?? dialogue.peripheral.shown ?? 0
            // A passkey has six digits.
            let wrong = shown ^ 1 << bit
            guard wrong < 1_000_000 else { continue }
            if form == .neitherShows { dialogue.central.answer(.passkey(shown)) }
            dialogue.enter(wrong)
            let reasons = dialogue.central.sentFailures + dialogue.peripheral.sentFailures
            #expect(reasons == [.confirmValueFailed])
            #expect(dialogue.linkKeys.isEmpty)
            #expect(dialogue.central.keys == nil && dialogue.peripheral.keys == nil)
        }
    }

    @Test(
        "A user who declines to enter the passkey ends the pairing",
        arguments: Form.allCases,
        [false, true]
    )
    func declinedEntry(form: Form, isLegacy: Bool) {
        var dialogue = Self.dialogue(form, isLegacy: isLegacy)
        dialogue.pair()
        let isCentral = dialogue.central.questions.contains(.enterPasskey)
        if isCentral { dialogue.central.answer(.no) } else { dialogue.peripheral.answer(.no) }
        dialogue.run()
        let refuser = isCentral ? dialogue.central : dialogue.peripheral
        let other = isCentral ? dialogue.peripheral : dialogue.central
        #expect(refuser.failure == .declined)
        #expect(other.failure == .refusedByPeer(.passkeyEntryFailed))
        #expect(!refuser.actions.contains(.withdrawQuestion))
        #expect(other.actions.contains(.withdrawQuestion))
    }

    @Test(
        "A user who sees the passkey may decline",
        arguments: [Form.centralShows, .peripheralShows],
        [false, true]
    )
    func declinedDisplay(form: Form, isLegacy: Bool) {
        var dialogue = Self.dialogue(form, isLegacy: isLegacy)
        dialogue.pair()
        let isCentral = form == .centralShows
        if isCentral { dialogue.central.answer(.no) } else { dialogue.peripheral.answer(.no) }
        dialogue.run()
        let refuser = isCentral ? dialogue.central : dialogue.peripheral
        #expect(refuser.failure == .declined)
        #expect(refuser.sentFailures == [.passkeyEntryFailed])
        #expect(refuser.actions.contains(.withdrawQuestion))
    }

    @Test(
        "A displayed passkey is withdrawn after it was entered",
        arguments: [Form.centralShows, .peripheralShows],
        [false, true]
    )
    func withdrawnDisplay(form: Form, isLegacy: Bool) throws {
        var dialogue = Self.dialogue(form, isLegacy: isLegacy)
        dialogue.pair()
        let shown = try #require(dialogue.central.shown ?? dialogue.peripheral.shown)
        let isCentral = form == .centralShows
        #expect(
            !(isCentral ? dialogue.central : dialogue.peripheral).actions
                .contains(.withdrawQuestion)
        )
        dialogue.enter(shown)
        let actions = (isCentral ? dialogue.central : dialogue.peripheral).actions
        #expect(actions.filter { $0 == .withdrawQuestion }.count == 1)
    }

    @Test("A number with more than six digits is not a passkey", arguments: [false, true])
    func tooManyDigits(isLegacy: Bool) {
        var dialogue = Self.dialogue(.peripheralShows, isLegacy: isLegacy)
        dialogue.pair()
        dialogue.central.answer(.passkey(1_000_000))
        dialogue.run()
        #expect(dialogue.central.failure == .declined)
        #expect(dialogue.peripheral.failure == .refusedByPeer(.passkeyEntryFailed))
    }

    @Test("Each pairing has its own passkey", arguments: [false, true])
    func freshPasskey(isLegacy: Bool) {
        var seen: Set<UInt32> = []
        var dialogue = Self.dialogue(.peripheralShows, isLegacy: isLegacy)
        for _ in 0..<16 {
            dialogue.pair()
            if let shown = dialogue.peripheral.shown { seen.insert(shown) }
            dialogue.central.cancel()
            dialogue.run()
        }
        #expect(seen.count == 16)
        #expect(seen.allSatisfy { $0 <= 999_999 })
    }

    @Test("The responder refuses a random number before the confirm value")
    func responderRandomLast() throws {
        var dialogue = Self.dialogue(.peripheralShows, isLegacy: false)
        dialogue.pair()
        dialogue.central.answer(.passkey(try #require(dialogue.peripheral.shown)))
        dialogue.central.outbox.removeAll()
        let count = dialogue.peripheral.sent.count
        dialogue.peripheral.receive(.pairingRandom(SMP.Value128(passkey: 0)))
        #expect(dialogue.peripheral.sent.count == count + 1)
        #expect(dialogue.peripheral.sentFailures == [.unspecified])
    }

    @Test("All twenty rounds are exchanged") func twentyRounds() throws {
        var dialogue = Self.dialogue(.peripheralShows, isLegacy: false)
        dialogue.pair()
        dialogue.enter(try #require(dialogue.peripheral.shown))
        for side in [dialogue.central, dialogue.peripheral] {
            #expect(side.sent.filter { $0.code == .pairingConfirm }.count == 20)
            #expect(side.sent.filter { $0.code == .pairingRandom }.count == 20)
            let numbers = side.sent.compactMap {
                if case .pairingRandom(let value) = $0 { value } else { nil }
            }
            #expect(Set(numbers).count == 20)
        }
    }
}

extension PairingDialogue {
    /// Enters the passkey on every side with a question.
    mutating func enter(_ passkey: UInt32) {
        central.answer(.passkey(passkey))
        peripheral.answer(.passkey(passkey))
        run()
    }
}
