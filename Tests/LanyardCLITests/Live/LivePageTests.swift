// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import JSONText
import ProcessTestSupport
import Testing

@testable import LanyardCLI

/// The live page in Chromium, which browser.py controls.
@Suite(
    "The live page in a browser",
    .serialized,
    .enabled(
        if: PageBrowser.isAvailable,
        "this machine has no Chromium or no websockets for Python"
    )
)
struct LivePageTests {
    @Test(
        "Two clicks show a value, and devices can be read, subscribed to, written and found again",
        .timeLimit(.minutes(20))
    )
    func walk() async throws {
        let steps = try await LiveBrowser.use("walk")
        #expect(steps["failed"] == nil, "\(steps["failed"].map { "\($0)" } ?? "")")
        #expect(steps["scanned"]?["devices"]?.double ?? 0 >= 7)
        #expect(steps["first value"]?["clicks"] == .integer(2))
        #expect(steps["first value"]?["value"]?.text?.contains("°C") == true)
        #expect(steps["read"]?["packet"] == .bool(true))
        #expect(steps["chart"]?["points"]?.double ?? 0 >= 3)
        #expect(steps["chart"]?["says_off"] == .bool(false), "of a subscribed characteristic")
        #expect(steps["moved"]?["meters"]?.double ?? 0 > 1_000)
        #expect(steps["lost"]?["reason"]?.text?.isEmpty == false)
        #expect(steps["back"]?["points"]?.double ?? 0 >= 4)
        #expect(steps["written"]?["value"]?.text == "01")
        #expect(steps["keyboard"]?["first"]?.text != steps["keyboard"]?["second"]?.text)
        #expect(steps["keyboard"]?["back"] == steps["keyboard"]?["first"])
        #expect(steps["reset"]?["ended"]?.text == "idle")
        #expect(steps["reset"]?["open"]?.text == "connected")
        #expect(steps["map"]?["chosen"] == .array([.string("Thermometer")]))
        #expect(steps["map"]?["labels"]?.double ?? 0 >= 7)
        #expect(steps["map"]?["hidden"] == .array([]))
        #expect(steps["order"]?["pointed"] == steps["order"]?["weakest"], "under the mouse")
        #expect(steps["order"]?["first"] == steps["order"]?["weakest"], "without the mouse")
        #expect(steps["narrow"]?["overflow"] == .array([0, 0, 0, 0].map { .integer($0) }))
        #expect(steps["end"]?["errors"] == .array([]))
    }

    @Test("The page requests nothing from other machines and does not treat text as markup")
    func content() {
        let html = LivePage.html
        #expect(!html.contains("{{"))
        #expect(html.ranges(of: "http").count == 0)
        for reference in ["url(", "@import", "XMLHttp", "innerHTML", "eval(", "localStorage"] {
            #expect(!html.contains(reference), "\(reference)")
        }
        #expect(html.ranges(of: "fetch(").count == 1 && html.contains("fetch('command'"))
        #expect(html.ranges(of: "EventSource(").count == 1)
    }

    @Test(
        "With 200 devices, a frame takes at most 1/30 s of the processor time of the main thread",
        .timeLimit(.minutes(20))
    )
    func load() async throws {
        let scenario = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: scenario) }
        try Data(LiveBrowser.crowd(200).utf8).write(to: URL(fileURLWithPath: scenario))
        let steps = try await LiveBrowser.use("load", adapter: "virtual:\(scenario)")
        #expect(steps["failed"] == nil, "\(steps["failed"].map { "\($0)" } ?? "")")
        let frames = try #require(steps["frames"])
        print("live page:", JSONText.JSON.object(sorting: frames).compact)
        let milliseconds = try #require(frames["millisecondsPerFrame"]?.double)
        #expect(milliseconds <= 1_000.0 / 30)
        // In 150 frames, which are 5 seconds.
        #expect(frames["reports"]?.double ?? 0 >= 200 * 10 * 5)
        #expect(frames["errors"] == .array([]))
    }
}

@Suite(
    "A long timeline in a browser",
    .enabled(
        if: PageBrowser.isAvailable,
        "this machine has no Chromium or no websockets for Python"
    )
)
struct LongTimelineTests {
    /// Returns a timeline of one device with a read every 10 ms.
    private func timeline(events count: Int) -> Timeline {
        var timeline = Timeline(title: "Long")
        let device = timeline.device("Thermometer")
        for number in 0..<count / 2 {
            let time = Int64(number) * 10_000
            for (isSent, text, bytes) in [
                (true, "ATT_READ_REQ #3", "0240000700030004000A0300"),
                (false, "ATT_READ_RSP 6608", "0240200700030004000B6608"),
            ] {
                var event = Timeline.Event(
                    microseconds: time + (isSent ? 0 : 2_500),
                    device: device,
                    lane: .packet,
                    text: text,
                    detail: "connection 0x0040"
                )
                event.packet = Timeline.Packet(
                    isSent: isSent,
                    layer: .att,
                    bytes: [UInt8](hexadecimal: bytes) ?? []
                )
                timeline.add(event)
            }
        }
        return timeline
    }

    @Test(
        "100,000 events take at most 1/30 s of processor time a frame, and a packet has bytes, fields and an answer",
        .timeLimit(.minutes(20))
    )
    func moves() async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let page = folder + "/long.html"
        try TimelinePage(timeline: timeline(events: 100_000)).write(to: page)
        let steps = try await LiveBrowser.steps("timeline", at: "file://" + page)
        #expect(steps["failed"] == nil, "\(steps["failed"].map { "\($0)" } ?? "")")
        #expect(steps["opened"]?["events"] == .integer(100_000))
        let milliseconds = try #require(steps["frames"]?["millisecondsPerFrame"]?.double)
        print("timeline with 100,000 events: \(milliseconds) ms of processor time for a frame")
        #expect(milliseconds <= 1_000.0 / 30)
        #expect(steps["packet"]?["bytes"]?.text == "0240000700030004000A0300")
        let fields = steps["packet"]?["fields"]?.elements?.compactMap(\.text) ?? []
        #expect(fields.contains("Handle: 0x0040, first"))
        #expect(fields.contains("Channel: 0x0004, ATT"))
        #expect(fields.contains("Attribute: #3"))
        #expect(steps["packet"]?["partner"]?.text == "ATT_READ_RSP 6608")
        #expect(steps["packet"]?["relation"]?.text == "Answer, 2.5 ms later")
        #expect(steps["ruler"]?["text"]?.text == "2.5 ms after the mark")
        #expect(steps["reset"]?["times"] == .array([0, 1_000, 2_000].map { .integer($0) }))
        #expect(steps["end"]?["errors"] == .array([]))
    }
}

private enum LiveBrowser {
    /// The members of each step by its name.
    typealias Steps = [String: [String: JSONText.JSON]]

    /// The limit for the first line of the program, and for its end.
    private static let limit = Duration.seconds(60)

    /// Runs `lanyard live` on an adapter, and a walk of browser.py on its page. Returns the steps by
    /// name.
    ///
    /// The program is a process of its own: on the two shared threads of the test process, it would
    /// wait for minutes behind the other tests.
    static func use(_ walk: String, adapter: String = "virtual") async throws -> Steps {
        let program = try LanyardTool.start(["live", "--no-browser", "--json"], adapter: adapter)
        let line = try await program.nextLine(within: limit)
        let ready = try JSONNode(parsing: try #require(line, "\(program.log)")).value
        let address = try #require(ready.members?["address"]?.text)
        let steps = try await steps(walk, at: address)
        program.send(signal: SIGINT)
        let (_, ending) = try await program.waitUntilEnd(within: limit)
        #expect(ending == .exited(ProcessStatus.interrupted.rawValue), "\(program.log)")
        return steps
    }

    /// Runs a walk of browser.py on a page. Returns the steps by name.
    static func steps(_ walk: String, at address: String) async throws -> Steps {
        var steps: Steps = [:]
        let script = "LanyardCLITests/Live/browser.py"
        for line in try await PageBrowser.run(script, walk, at: address) {
            let members = try #require(JSONNode(parsing: line).value.members)
            steps[members["step"]?.text ?? ""] = members
        }
        return steps
    }

    /// Returns a scenario with this many beacons on rings around the host, each of which advertises
    /// ten times a second.
    static func crowd(_ count: Int) -> String {
        let devices = (0..<count).map { number in
            let angle = Double(number) / Double(count) * 2 * Double.pi
            let distance = 2 + Double(number % 10)
            let (x, y) = (distance * cos(angle), distance * sin(angle))
            return
                #"{"name": "beacon \#(number)", "accessory": "beacon", "position": [\#(x), \#(y)]}"#
        }
        return #"{"devices": [\#(devices.joined(separator: ", "))]}"#
    }
}
