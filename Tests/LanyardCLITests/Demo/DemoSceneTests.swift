// SPDX-License-Identifier: Apache-2.0

import Lanyard
import Testing

@testable import LanyardCLI

@Suite("The scene of the demo") struct DemoSceneTests {
    private var scene: DemoScene {
        var scene = DemoScene(chapters: ["Pairing", "Messages"], chapter: 1)
        scene.time = .milliseconds(12_345)
        scene.slots = 3
        scene.devices = [
            DemoScene.Device(name: "Strap", state: .ready, meters: 1.5, signal: -50),
            DemoScene.Device(name: "Lamp", state: .outOfRange, meters: 120, signal: -99),
            DemoScene.Device(name: "Scale", state: nil, meters: 3, signal: -70),
        ]
        return scene
    }

    @Test("The scene shows the state and signal of every device")
    func devices() {
        let lines = scene.lines.map(\.plain)
        #expect(lines[1] == "  Pairing  Messages ")
        #expect(lines[2] == "  ● Strap         ready                       ▂▄▆█ -50 dBm  1.5 m")
        #expect(lines[3] == "  ○ Lamp          out of range                ···· -99 dBm  120 m")
        #expect(
            lines[4] == "  · Scale         unknown to the phone        ▂▄·· -70 dBm  3.0 m"
        )
        #expect(
            lines[6]
                == "  links ■□□ 1 of 3     the app runs                12.3 s of virtual time"
        )
    }

    @Test("The current chapter is emphasized") func currentChapter() {
        #expect(
            scene.lines[1].rendered(columns: 80)
                == "  Pairing \u{1B}[7m Messages \u{1B}[0m"
        )
    }

    @Test("No line of the scene is wider than the terminal", arguments: [0, 1, 5, 20, 40, 79])
    func anyTerminal(columns: Int) {
        for line in scene.lines {
            let rendered = line.rendered(columns: columns)
            let visible = rendered.replacing(#/\u{1B}\[[0-9]*m/#, with: "")
            #expect(TerminalColumns.count(visible) <= columns)
        }
    }

    @Test(
        "A state has a name and a sign",
        arguments: [
            (AccessoryState.discoveringServices, "discovering services", "◌"),
            (.outOfRange, "out of range", "○"), (.ready, "ready", "●"), (.idle, "idle", "·"),
            (.connected, "connected", "◐"), (.disconnecting, "disconnecting", "×"),
        ]
    )
    func states(state: AccessoryState, words: String, sign: String) {
        #expect(StateAppearance(state).name == words)
        #expect(StateAppearance(state).sign == sign)
        #expect(AccessoryState(named: String(describing: state)) == state)
    }

    @Test(
        "A signal is shown as bars",
        arguments: [(-120, "····"), (-90, "▂···"), (-70, "▂▄··"), (-60, "▂▄▆·"), (-40, "▂▄▆█")]
    )
    func signalBars(signal: Int, bars: String) {
        #expect(SignalBars.text(signal) == bars)
    }

    @Test(
        "A distance is written in meters",
        arguments: [
            (0.04, "0.0 m"), (9.94, "9.9 m"), (9.96, "10 m"), (-1, "0.0 m"), (1e9, "1000000 m"),
        ]
    )
    func distances(meters: Double, text: String) {
        #expect(DistanceText.describe(meters) == text)
    }
}

@Suite("The output of the demo") struct DemoPrinterTests {
    private let output = ScriptedAccessory.Recorder()

    private func printer(isTerminal: Bool) -> DemoPrinter {
        let console = Console(
            isOutputTerminal: isTerminal,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 40, rows: 6) },
            write: { [output] in output.note($0) },
            remark: { _ in }
        )
        return DemoPrinter(console: console, chapters: ["Pairing", "Messages"])
    }

    @Test("Without a terminal, the output is plain lines") func plainLines()
        throws
    {
        let printer = printer(isTerminal: false)
        try printer.begin(1)
        try printer.draw { $0.slots = 3 }
        try printer.say("a \u{1B}[2J name")
        try printer.say("and so it is") { true }
        try printer.end()
        #expect(
            output.lines.joined()
                == "\n── 2 Messages\n   a \\u{1B}[2J name\n   and so it is\n"
        )
        #expect(printer.checks == 1)
    }

    @Test("On a terminal, the scene is drawn below the lines that stay")
    func sceneBelowLines() throws {
        let printer = printer(isTerminal: true)
        try printer.draw { $0.slots = 3 }
        try printer.say("news")
        let last = try #require(output.lines.last)
        let news = try #require(last.firstRange(of: "   news\n"))
        let links = try #require(last.firstRange(of: "links"))
        #expect(news.upperBound < links.lowerBound)
        // Four lines were drawn, so the output begins at the first of them.
        #expect(last.hasPrefix("\u{1B}[4A"))
    }

    @Test("The scene is removed at the end") func sceneAtTheEnd() throws {
        let printer = printer(isTerminal: true)
        try printer.draw { $0.slots = 3 }
        try printer.end()
        #expect(output.lines.last == "\u{1B}[4A\u{1B}[J\u{1B}[?25h")
    }

    @Test("A check that fails throws, and its line is not printed") func failedCheck() throws {
        let printer = printer(isTerminal: false)
        let failure = try #require(throws: ProgramFailure.self) {
            try printer.say("all is well") { false }
        }
        #expect(failure.status == .internalError)
        #expect(failure.happened.hasSuffix("this is not the case: all is well"))
        #expect(output.lines.isEmpty && printer.checks == 0)
    }
}
