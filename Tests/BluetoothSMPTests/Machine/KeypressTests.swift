// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import Testing

@Suite("Keypress notifications")
struct KeypressTests {
    @Test("The peer is notified of every digit", arguments: [false, true])
    func digits(isLegacy: Bool) throws {
        var dialogue = PasskeyTests.dialogue(
            .peripheralShows,
            isLegacy: isLegacy,
            keypresses: true
        )
        dialogue.pair()
        dialogue.central.answer(.keypress(.digitEntered))
        dialogue.central.answer(.keypress(.digitErased))
        dialogue.central.answer(.keypress(.cleared))
        dialogue.enter(try #require(dialogue.peripheral.shown))
        #expect(
            dialogue.peripheral.pressed == [
                .entryStarted, .digitEntered, .digitErased, .cleared, .entryCompleted,
            ]
        )
        #expect(dialogue.central.pressed.isEmpty)
        try dialogue.expectSuccess(.passkeyEntry, .passkeyDisplay)
    }

    @Test("The responder sends keypress notifications too", arguments: [false, true])
    func responder(isLegacy: Bool) throws {
        var dialogue = PasskeyTests.dialogue(.centralShows, isLegacy: isLegacy, keypresses: true)
        dialogue.pair()
        dialogue.peripheral.answer(.keypress(.digitEntered))
        dialogue.enter(try #require(dialogue.central.shown))
        #expect(dialogue.central.pressed == [.entryStarted, .digitEntered, .entryCompleted])
        try dialogue.expectSuccess(.passkeyDisplay, .passkeyEntry)
    }

    @Test(
        "Both sides send keypress notifications if both enter the passkey",
        arguments: [false, true]
    )
    func bothSides(isLegacy: Bool) throws {
        var dialogue = PasskeyTests.dialogue(.neitherShows, isLegacy: isLegacy, keypresses: true)
        dialogue.pair()
        #expect(dialogue.central.pressed == [.entryStarted])
        #expect(dialogue.peripheral.pressed == [.entryStarted])
        dialogue.enter(123_456)
        #expect(dialogue.central.pressed == [.entryStarted, .entryCompleted])
        #expect(dialogue.peripheral.pressed == [.entryStarted, .entryCompleted])
        try dialogue.expectSuccess(.passkeyEntryOnBoth)
    }

    @Test(
        "Keypress notifications are sent only if both sides support them",
        arguments: [false, true]
    )
    func unsupported(isLegacy: Bool) throws {
        var dialogue = PasskeyTests.dialogue(
            .peripheralShows,
            isLegacy: isLegacy,
            keypresses: true
        )
        dialogue.peripheral.manager.policyForPeer?.usesKeypressNotifications = false
        dialogue.pair()
        dialogue.central.answer(.keypress(.digitEntered))
        dialogue.enter(try #require(dialogue.peripheral.shown))
        #expect(dialogue.peripheral.pressed.isEmpty)
        #expect(!dialogue.central.sent.contains { $0.code == .pairingKeypressNotification })
        try dialogue.expectSuccess(.passkeyEntry, .passkeyDisplay)
    }

    @Test("The start and the end of the entry are notified once")
    func startAndEnd() throws {
        var dialogue = PasskeyTests.dialogue(.peripheralShows, isLegacy: false, keypresses: true)
        dialogue.pair()
        dialogue.central.answer(.keypress(.entryStarted))
        dialogue.central.answer(.keypress(.entryCompleted))
        dialogue.enter(try #require(dialogue.peripheral.shown))
        #expect(dialogue.peripheral.pressed == [.entryStarted, .entryCompleted])
    }

    @Test("A keypress notification that was not negotiated is refused")
    func unnegotiated() {
        var dialogue = PasskeyTests.dialogue(.peripheralShows, isLegacy: false)
        dialogue.pair()
        dialogue.peripheral.receive(.keypress(.digitEntered))
        #expect(dialogue.peripheral.sentFailures == [.unspecified])
    }

    @Test("A keypress notification after the first confirm value is refused")
    func afterConfirmValue() throws {
        var dialogue = PasskeyTests.dialogue(.peripheralShows, isLegacy: false, keypresses: true)
        dialogue.pair()
        dialogue.central.answer(.passkey(try #require(dialogue.peripheral.shown)))
        while dialogue.central.sent.last?.code != .pairingRandom { _ = dialogue.step() }
        dialogue.peripheral.receive(.keypress(.digitEntered))
        #expect(dialogue.peripheral.sentFailures == [.unspecified])
    }
}
