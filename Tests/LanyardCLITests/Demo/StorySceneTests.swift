// SPDX-License-Identifier: Apache-2.0

import Lanyard
import Testing

@testable import LanyardCLI

@Suite struct StorySceneTests {
    private var scene: StoryScene {
        var scene = StoryScene(chapters: ["Pairing", "Messages"], chapter: 1)
        scene.time = .milliseconds(12_345)
        scene.slots = 3
        scene.devices = [
            StoryScene.Device(name: "Strap", state: .ready, metres: 1.5, signal: -50),
            StoryScene.Device(name: "Lamp", state: .outOfRange, metres: 120, signal: -99),
            StoryScene.Device(name: "Scale", state: nil, metres: 3, signal: -70),
        ]
        return scene
    }

    @Test func showsEveryDeviceItsStateAndItsSignal() {
        let lines = scene.lines.map(\.plain)
        #expect(lines[1] == "  Pairing  Messages ")
        #expect(lines[2] == "  ● Strap         ready                       ▂▄▆█ -50 dBm  1.5 m")
        #expect(lines[3] == "  ○ Lamp          out of range                ···· -99 dBm  120 m")
        #expect(lines[4] == "  · Scale         unknown to the phone        ▂▄·· -70 dBm  3.0 m")
        #expect(
            lines[6]
                == "  links ■□□ 1 of 3     the application runs        12.3 s of virtual time"
        )
    }

    @Test func emphasizesTheChapterThatIsTold() {
        #expect(
            scene.lines[1].rendered(columns: 80)
                == "  Pairing \u{1B}[7m Messages \u{1B}[0m"
        )
    }

    @Test(arguments: [0, 1, 5, 20, 40, 79])
    func fitsIntoAnyTerminal(columns: Int) {
        for line in scene.lines {
            let rendered = line.rendered(columns: columns)
            let visible = rendered.replacing(#/\u{1B}\[[0-9]*m/#, with: "")
            #expect(TerminalColumns.count(visible) <= columns)
        }
    }

    @Test(
        "Every state has a look and words",
        arguments: [
            (AccessoryState.discoveringServices, "discovering services", "◌"),
            (.outOfRange, "out of range", "○"), (.ready, "ready", "●"), (.idle, "idle", "·"),
            (.connected, "connected", "◐"), (.disconnecting, "disconnecting", "×"),
        ]
    )
    func looks(state: AccessoryState, words: String, sign: String) {
        #expect(StateLook(state).name == words)
        #expect(StateLook(state).sign == sign)
        #expect(AccessoryState(named: String(describing: state)) == state)
    }

    @Test(arguments: [(-120, "····"), (-90, "▂···"), (-70, "▂▄··"), (-60, "▂▄▆·"), (-40, "▂▄▆█")])
    func showsSignalsAsBars(signal: Int, bars: String) {
        #expect(SignalBars.text(signal) == bars)
    }

    @Test(arguments: [
        (0.04, "0.0 m"), (9.94, "9.9 m"), (9.96, "10 m"), (-1, "0.0 m"), (1e9, "1000000 m"),
    ])
    func writesDistances(metres: Double, text: String) {
        #expect(MetresText.describe(metres) == text)
    }
}

@Suite struct StoryTellerTests {
    private let output = ScriptedAccessory.Recorder()

    private func teller(isTerminal: Bool) -> StoryTeller {
        let console = Console(
            isOutputTerminal: isTerminal,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 40, rows: 6) },
            write: { [output] in output.note($0) },
            remark: { _ in }
        )
        return StoryTeller(console: console, chapters: ["Pairing", "Messages"])
    }

    @Test func tellsPlainLinesWhereNobodyWatches() throws {
        let teller = teller(isTerminal: false)
        try teller.begin(1)
        try teller.draw { $0.slots = 3 }
        try teller.say("a \u{1B}[2J name")
        try teller.say("and so it is") { true }
        try teller.end()
        #expect(
            output.lines.joined()
                == "\n── 2 Messages\n   a \\u{1B}[2J name\n   and so it is\n"
        )
        #expect(teller.checks == 1)
    }

    @Test func drawsTheSceneBelowWhatStays() throws {
        let teller = teller(isTerminal: true)
        try teller.draw { $0.slots = 3 }
        try teller.say("news")
        let last = try #require(output.lines.last)
        let news = try #require(last.firstRange(of: "   news\n"))
        let links = try #require(last.firstRange(of: "links"))
        #expect(news.upperBound < links.lowerBound)
        // Four lines were drawn: it begins where the first of them was.
        #expect(last.hasPrefix("\u{1B}[4A"))
    }

    @Test func takesTheSceneAwayAtTheEnd() throws {
        let teller = teller(isTerminal: true)
        try teller.draw { $0.slots = 3 }
        try teller.end()
        #expect(output.lines.last == "\u{1B}[4A\u{1B}[J\u{1B}[?25h")
    }

    @Test func failsAtTheFirstThingThatIsNotSo() throws {
        let teller = teller(isTerminal: false)
        let failure = try #require(throws: ProgramFailure.self) {
            try teller.say("all is well") { false }
        }
        #expect(failure.status == .internalError)
        #expect(failure.happened.hasSuffix("it is not so that all is well"))
        #expect(output.lines.isEmpty && teller.checks == 0)
    }
}
