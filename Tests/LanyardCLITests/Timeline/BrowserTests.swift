// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import ProcessTestSupport
import Testing

@testable import LanyardCLI

/// Pages in a headless browser, with the resulting elements.
@Suite("The page in a browser", .enabled(if: Browser.path != nil, "this machine has no Chromium"))
struct BrowserTests {
    private static let hostile = #"<img src=x onerror="document.title='taken'"></script>"#

    private func timeline(title: String) -> Timeline {
        var timeline = Timeline(title: title)
        timeline.chapters = [
            Timeline.Chapter(microseconds: 0, title: "Pairing"),
            Timeline.Chapter(microseconds: 5_000_000, title: Self.hostile),
        ]
        let states = ["scanning", "connecting", "ready", "outOfRange", "ready"]
        let events = states.enumerated().map { index, state in
            FlightEvent(
                time: .seconds(index * 3),
                device: Self.hostile,
                lane: .state,
                text: state,
                detail: Self.hostile
            )
        }
        timeline.add(
            FlightRecording(
                events: events + [
                    FlightEvent(time: .seconds(1), device: "", lane: .call, text: "stopScan")
                ]
            ),
            central: "phone"
        )
        return timeline
    }

    @Test("The page shows devices, events and chapters", .timeLimit(.minutes(20)))
    func content() async throws {
        let page = try await Browser.open(timeline(title: "A walk"))
        #expect(page.contains("<title>A walk</title>"))
        #expect(page.contains(#"<div id="count" role="status">6 events</div>"#))
        #expect(page.contains("out of range"))
        #expect(page.contains(#"aria-expanded="true">phone</button>"#))
        #expect(page.contains("<i>1</i>Pairing</button>"))
        #expect(page.ranges(of: #"role="option""#).count == 6)
    }

    @Test("Text from a device never becomes markup", .timeLimit(.minutes(20)))
    func hostileText() async throws {
        let page = try await Browser.open(timeline(title: Self.hostile))
        #expect(!page.contains("<img"))
        #expect(page.contains("<title>&lt;img"))
    }

    @Test("A page without events shows the number 0", .timeLimit(.minutes(20)))
    func noEvents() async throws {
        let page = try await Browser.open(Timeline(title: "Nothing"))
        #expect(page.contains(#"role="status">0 events</div>"#))
    }
}

private enum Browser {
    static let path = [
        "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
    ].first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Returns the elements of a page after its script has run.
    static func open(_ timeline: Timeline) async throws -> String {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try TimelinePage(timeline: timeline).write(to: folder + "/page.html")
        let process = try ChildProcess(
            try #require(path),
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900",
                "--virtual-time-budget=2000", "--user-data-dir=\(folder)/profile", "--dump-dom",
                "file://\(folder)/page.html",
            ]
        )
        let (document, _) = try await process.waitUntilEnd(within: .seconds(300))
        // The element with the data is removed, because the script does not change it.
        return document.replacing(#/<script type="application\/json"[^<]*<\/script>/#, with: "")
    }
}
