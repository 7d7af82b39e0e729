// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization
import Testing

@testable import LanyardCLI

@Suite("The conversation of a pairing")
struct PairingDialogueTests {
    private static let peer = "C4:F0:00:00:00:01/random"
    private let said = ScriptedAccessory.Recorder()

    private var text: String { said.lines.joined() }

    private static func scene(_ method: Pairing.Method, isIncoming: Bool = false) -> PairingScene {
        PairingScene(peer: peer, method: method, isIncoming: isIncoming)
    }

    /// A dialogue whose answers are these lines, or with nobody.
    private func dialogue(
        _ answers: [String]?,
        reportsKeypresses: Bool = false
    ) -> PairingDialogue {
        let desk = answers.map { answers in
            let desk = AnswerDesk(unasked: .kept, say: said.note)
            for answer in answers { desk.receive(answer) }
            desk.end()
            return desk
        }
        return PairingDialogue(desk: desk, reportsKeypresses: reportsKeypresses, say: said.note)
    }

    private func digits(_ value: UInt32) throws -> PairingDigits {
        try #require(PairingDigits(value))
    }

    @Test(
        "says which method it is before it asks, and what that protects from",
        arguments: [Pairing.Method.justWorks, .numericComparison, .passkeyEntry]
    )
    func announces(method: Pairing.Method) async throws {
        let dialogue = dialogue([""])
        let scene = Self.scene(method)
        switch method {
        case .justWorks: #expect(await dialogue.consents(scene) == false)
        case .numericComparison:
            #expect(await dialogue.confirms(try digits(7), scene) == false)
        default: #expect(await dialogue.enterDigits(scene) { _ in } == nil)
        }
        let first = try #require(said.lines.first)
        #expect(first.hasPrefix("Pairing with \(Self.peer) by \(method): "))
        #expect(dialogue.method == method)
    }

    @Test(
        "takes nothing but a yes for a yes",
        arguments: [
            ("y", true), ("Yes", true), (" y ", true), ("n", false), ("", false), ("no", false),
        ]
    )
    func consent(answer: String, expected: Bool) async {
        #expect(await dialogue([answer]).consents(Self.scene(.justWorks)) == expected)
    }

    @Test("takes the end of the input, and lines that are no answer, for a no")
    func noAnswer() async throws {
        #expect(await dialogue([]).consents(Self.scene(.justWorks)) == false)
        let scene = Self.scene(.numericComparison)
        let nonsense = ["1", "yess", "ok"]
        #expect(await dialogue(nonsense).confirms(try digits(1), scene) == false)
    }

    @Test("shows the digits that are to be compared, with the zeros in front")
    func comparison() async throws {
        let scene = Self.scene(.numericComparison, isIncoming: true)
        #expect(await dialogue(["y"]).confirms(try digits(1234), scene))
        #expect(text.contains("\(Self.peer) wants to pair by numeric comparison"))
        #expect(text.contains("Does the other side show 001 234? [y/N] "))
    }

    @Test(
        "takes six digits, with spaces or without",
        arguments: [
            (["123456"], 123_456), (["000 042"], 42), (["12345", "123456"], 123_456),
            (["", "123456"], nil), (["abcdef", "1234567", "+12345"], nil), ([], nil),
        ] as [([String], UInt32?)]
    )
    func entry(lines: [String], expected: UInt32?) async {
        let entered = await dialogue(lines).enterDigits(Self.scene(.passkeyEntry)) { _ in }
        #expect(entered?.value == expected)
    }

    @Test("tells the other side of digits only where that is wanted")
    func keypresses() async {
        let pressed = Mutex<[Pairing.Keypress]>([])
        let scene = Self.scene(.passkeyEntryOnBoth)
        let quiet = dialogue(["123456"])
        _ = await quiet.enterDigits(scene) { key in pressed.withLock { $0.append(key) } }
        #expect(pressed.withLock { $0 }.isEmpty)
        #expect(text.contains("Enter the same six digits here and at the other side: "))
        let talkative = dialogue(["123456"], reportsKeypresses: true)
        _ = await talkative.enterDigits(scene) { key in pressed.withLock { $0.append(key) } }
        let digits = [Pairing.Keypress](repeating: .digitEntered, count: 6)
        #expect(pressed.withLock { $0 } == [.entryStarted] + digits + [.entryCompleted])
    }

    @Test("shows digits until they are of no more use, and what the other side does with them")
    func display() async throws {
        let dialogue = dialogue(nil)
        let digits = try digits(42)
        let showing = Task {
            defer { said.end() }
            await dialogue.show(digits, Self.scene(.passkeyDisplay))
        }
        while !text.contains("Enter 000 042 at the other side."), await said.waitForLine() {}
        for key in [Pairing.Keypress.entryStarted, .digitEntered, .digitEntered, .digitErased] {
            dialogue.peerPressed(key)
        }
        #expect(said.lines.last == "The other side has entered 1 digit.\n")
        dialogue.peerPressed(.entryCompleted)
        showing.cancel()
        await showing.value
        #expect(!text.contains("declined"))
    }

    @Test("declines everything where nobody is, in one line that says what to do")
    func nobody() async throws {
        let dialogue = dialogue(nil)
        #expect(await dialogue.consents(Self.scene(.justWorks)) == false)
        #expect(await dialogue.confirms(try digits(1), Self.scene(.numericComparison)) == false)
        #expect(await dialogue.enterDigits(Self.scene(.passkeyEntry)) { _ in } == nil)
        #expect(await dialogue.pairsAgain(Self.peer) == false)
        let lines = said.lines.filter { $0.hasPrefix("lanyard: declined: ") }
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.hasSuffix("; \(PairingText.howToAnswer)\n") })
    }

    @Test("asks before it pairs anew with somebody who has lost the keys")
    func again() async {
        #expect(await dialogue(["y"]).pairsAgain(Self.peer))
        #expect(await dialogue([""]).pairsAgain(Self.peer) == false)
        #expect(text.contains("has lost the keys that it shared with us, or somebody poses as it"))
    }

    @Test("has words for every method", arguments: Pairing.Method.allCases)
    func words(method: Pairing.Method) {
        let announcement = PairingText.announcement(Self.scene(method))
        #expect(announcement.contains("by \(method): ") && announcement.hasSuffix("."))
        #expect(PairingText.need(of: method).contains("needs somebody"))
    }
}
