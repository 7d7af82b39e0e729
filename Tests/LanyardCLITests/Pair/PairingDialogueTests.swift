// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization
import Testing

@testable import LanyardCLI

@Suite("The questions of a pairing")
struct PairingDialogueTests {
    private static let peer = "C4:F0:00:00:00:01/random"
    private let output = ScriptedAccessory.Recorder()

    private var text: String { output.lines.joined() }

    private static func scene(_ method: Pairing.Method, isIncoming: Bool = false) -> PairingContext
    {
        PairingContext(peer: peer, method: method, isIncoming: isIncoming)
    }

    /// Returns a dialogue whose answers are these lines, or a dialogue without a person for `nil`.
    private func dialogue(
        _ answers: [String]?,
        reportsKeypresses: Bool = false
    ) -> PairingDialogue {
        let questions = answers.map { answers in
            let questions = QuestionQueue(unasked: .queued, say: output.note)
            for answer in answers { questions.receive(answer) }
            questions.end()
            return questions
        }
        return PairingDialogue(
            questions: questions,
            reportsKeypresses: reportsKeypresses,
            say: output.note
        )
    }

    private func digits(_ value: UInt32) throws -> PairingDigits {
        try #require(PairingDigits(value))
    }

    @Test(
        "The method and its protection are announced before the question",
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
        let first = try #require(output.lines.first)
        #expect(first.hasPrefix("Pairing with \(Self.peer) by \(method): "))
        #expect(dialogue.method == method)
    }

    @Test(
        "Only an explicit yes accepts",
        arguments: [
            ("y", true), ("Yes", true), (" y ", true), ("n", false), ("", false), ("no", false),
        ]
    )
    func consent(answer: String, expected: Bool) async {
        #expect(await dialogue([answer]).consents(Self.scene(.justWorks)) == expected)
    }

    @Test("The end of the input and invalid lines decline")
    func noAnswer() async throws {
        #expect(await dialogue([]).consents(Self.scene(.justWorks)) == false)
        let scene = Self.scene(.numericComparison)
        let nonsense = ["1", "yess", "ok"]
        #expect(await dialogue(nonsense).confirms(try digits(1), scene) == false)
    }

    @Test("Digits to compare are shown with leading zeros")
    func comparison() async throws {
        let scene = Self.scene(.numericComparison, isIncoming: true)
        #expect(await dialogue(["y"]).confirms(try digits(1234), scene))
        #expect(text.contains("\(Self.peer) wants to pair by numeric comparison"))
        #expect(text.contains("Does \(Self.peer) show 001 234? [y/N] "))
    }

    @Test(
        "Six digits are accepted with or without spaces",
        arguments: [
            (["123456"], 123_456), (["000 042"], 42), (["12345", "123456"], 123_456),
            (["", "123456"], nil), (["abcdef", "1234567", "+12345"], nil), ([], nil),
        ] as [([String], UInt32?)]
    )
    func entry(lines: [String], expected: UInt32?) async {
        let entered = await dialogue(lines).enterDigits(Self.scene(.passkeyEntry)) { _ in }
        #expect(entered?.value == expected)
    }

    @Test("Keypresses are reported to the peer only if enabled")
    func keypresses() async {
        let pressed = Mutex<[Pairing.Keypress]>([])
        let scene = Self.scene(.passkeyEntryOnBoth)
        let quiet = dialogue(["123456"])
        _ = await quiet.enterDigits(scene) { key in pressed.withLock { $0.append(key) } }
        #expect(pressed.withLock { $0 }.isEmpty)
        #expect(text.contains("Enter the same six digits here and at \(Self.peer): "))
        let talkative = dialogue(["123456"], reportsKeypresses: true)
        _ = await talkative.enterDigits(scene) { key in pressed.withLock { $0.append(key) } }
        let digits = [Pairing.Keypress](repeating: .digitEntered, count: 6)
        #expect(pressed.withLock { $0 } == [.entryStarted] + digits + [.entryCompleted])
    }

    @Test("Digits are shown until the task is canceled, with the peer's keypresses")
    func display() async throws {
        let dialogue = dialogue(nil)
        let digits = try digits(42)
        let showing = Task {
            defer { output.end() }
            await dialogue.show(digits, Self.scene(.passkeyDisplay))
        }
        while !text.contains("Enter 000 042 at \(Self.peer)."), await output.waitForLine() {}
        for key in [Pairing.Keypress.entryStarted, .digitEntered, .digitEntered, .digitErased] {
            dialogue.peerPressed(key, Self.scene(.passkeyDisplay))
        }
        #expect(output.lines.last == "1 digit entered at \(Self.peer).\n")
        dialogue.peerPressed(.entryCompleted, Self.scene(.passkeyDisplay))
        showing.cancel()
        await showing.value
        #expect(!text.contains("declined"))
    }

    @Test("Without a person, every question is declined in one line with advice")
    func noPerson() async throws {
        let dialogue = dialogue(nil)
        #expect(await dialogue.consents(Self.scene(.justWorks)) == false)
        #expect(await dialogue.confirms(try digits(1), Self.scene(.numericComparison)) == false)
        #expect(await dialogue.enterDigits(Self.scene(.passkeyEntry)) { _ in } == nil)
        #expect(await dialogue.pairsAgain(Self.peer) == false)
        let lines = output.lines.filter { $0.hasPrefix("lanyard: declined: ") }
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.hasSuffix("; \(PairingText.howToAnswer)\n") })
    }

    @Test("The dialogue notes that a question was declined, until the next pairing")
    func declined() async throws {
        let yes = dialogue(["y", "y", "123456"])
        _ = await yes.pairsAgain(Self.peer)
        _ = await yes.confirms(try digits(1), Self.scene(.numericComparison))
        _ = await yes.enterDigits(Self.scene(.passkeyEntry)) { _ in }
        #expect(!yes.hasDeclined)
        let no = dialogue(["n", "n", ""])
        _ = await no.pairsAgain(Self.peer)
        #expect(no.hasDeclined)
        no.reset()
        #expect(!no.hasDeclined)
        _ = await no.confirms(try digits(1), Self.scene(.numericComparison))
        #expect(no.hasDeclined)
        no.reset()
        _ = await no.enterDigits(Self.scene(.passkeyEntry)) { _ in }
        #expect(no.hasDeclined)
    }

    @Test("Pairing again with a peer that lost its keys needs a yes")
    func again() async {
        #expect(await dialogue(["y"]).pairsAgain(Self.peer))
        #expect(await dialogue([""]).pairsAgain(Self.peer) == false)
        #expect(text.contains("\(Self.peer) has lost its keys, or another device uses its address"))
        #expect(text.contains("Pair with \(Self.peer) again? [y/N] "))
    }

    @Test("Every method has an announcement", arguments: Pairing.Method.allCases)
    func words(method: Pairing.Method) {
        let announcement = PairingText.announcement(Self.scene(method))
        #expect(announcement.contains("by \(method): ") && announcement.hasSuffix("."))
        #expect(PairingText.need(of: method).contains("needs a person"))
    }
}
