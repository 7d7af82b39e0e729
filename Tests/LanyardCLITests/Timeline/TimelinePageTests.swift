// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Lanyard
import Testing

@testable import LanyardCLI

@Suite("The page of a timeline") struct TimelinePageTests {
    private static let hostile = #"</script><script>alert("1")</script><!--\u{2028}\"#

    private static var timeline: Timeline {
        var timeline = Timeline(title: hostile)
        timeline.subtitle = hostile
        timeline.chapters = [Timeline.Chapter(microseconds: 0, title: hostile)]
        timeline.remark(hostile)
        let recording = FlightRecording(events: [
            FlightEvent(
                time: .zero,
                device: hostile,
                lane: .state,
                text: hostile,
                detail: hostile
            )
        ])
        timeline.add(recording, central: "phone")
        return timeline
    }

    /// Returns the text of the element with the data.
    private func data(in html: String) throws -> Substring {
        let begin = try #require(html.firstRange(of: #"id="data">"#)?.upperBound)
        let end = try #require(html[begin...].firstRange(of: "</script>")?.lowerBound)
        return html[begin..<end]
    }

    @Test("The data has no markup") func noMarkup() throws {
        let data = try data(in: TimelinePage(timeline: Self.timeline).html)
        #expect(!data.contains("<"))
        #expect(data.contains(#"\u003c/script>\u003cscript>alert(\"1\")"#))
    }

    @Test("The data is read as it was written") func roundTrip() throws {
        let data = try data(in: TimelinePage(timeline: Self.timeline).html)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
        )
        #expect(object["title"] as? String == Self.hostile)
        #expect((object["texts"] as? [String])?.contains(TerminalText.escape(Self.hostile)) == true)
        #expect((object["events"] as? [[Int]]) == [[0, 1, 0, 0, 0]])
    }

    @Test("The page loads nothing") func loadsNothing() {
        let html = TimelinePage(timeline: Timeline(title: "empty")).html
        #expect(html.contains("default-src 'none'"))
        for reference in [" src=", " href=", "url(", "@import", "fetch(", "XMLHttp", "innerHTML"] {
            #expect(!html.contains(reference), "\(reference)")
        }
        // The SVG namespace is a name that is not loaded.
        #expect(
            html.ranges(of: "http").count == html.ranges(of: "http://www.w3.org/2000/svg").count + 1
        )
    }

    @Test("The page has two scripts") func scripts() {
        let html = TimelinePage(timeline: Self.timeline).html
        #expect(html.ranges(of: "<script").count == 2)
        #expect(html.ranges(of: "</script>").count == 2)
        #expect(!html.contains("<!--"))
    }

    @Test("The page of a long timeline has less than 512 KiB") func size() {
        var timeline = Timeline(title: "long")
        let device = timeline.device("strap")
        for number in 0..<100_000 {
            timeline.add(
                Timeline.Event(
                    microseconds: Int64(number) * 1_000_000,
                    device: device,
                    lane: .callback,
                    text: "didUpdateValue 2A37",
                    detail: "06 \(number % 256)"
                )
            )
            timeline.add(
                Timeline.Event(
                    microseconds: Int64(number) * 1_000_000,
                    device: device,
                    lane: .state,
                    text: "ready",
                    detail: "number \(number)"
                )
            )
        }
        timeline.fit()
        #expect(TimelinePage(timeline: timeline).html.utf8.count < 512 << 10)
    }
}
