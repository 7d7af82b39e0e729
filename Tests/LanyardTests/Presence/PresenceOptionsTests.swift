// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Presence options")
struct PresenceOptionsTests {
    private func story(_ change: (inout PresenceOptions) -> Void) -> PresenceStory {
        var options = PresenceOptions()
        change(&options)
        return PresenceStory(rules: PresenceRules(options))
    }

    @Test(
        "A device with few gaps is lost after three times the longest gap plus 5 seconds",
        arguments: 2...16
    )
    func fewGaps(count: Int) {
        var story = PresenceStory()
        story.receive(times: count - 1, every: .milliseconds(900))
        // One packet was lost.
        story.wait(.milliseconds(900))
        story.receive()
        _ = story.takeEvents()
        story.wait(.milliseconds(1800) * 3 + .seconds(5) - .nanoseconds(1))
        #expect(story.takeEvents() == [])
        story.wait(.nanoseconds(1))
        #expect(story.takeEvents() == ["lost 1 silent"])
    }

    @Test("A fixed silence applies to every device, however often it was received")
    func fixed() {
        var story = PresenceStory(rules: PresenceRules(PresenceOptions(lostAfter: .seconds(2))))
        story.receive(1)
        story.receive(2, isConnectable: false)
        story.receive(3, times: 60, every: .milliseconds(100))
        #expect(
            story.takeEvents() == [
                "discovered 1", "discovered 2", "discovered 3", "lost 1 silent", "lost 2 silent",
            ]
        )
        story.wait(.milliseconds(1900) - .nanoseconds(1))
        #expect(story.takeEvents() == [])
        story.wait(.nanoseconds(1))
        #expect(story.takeEvents() == ["lost 3 silent"])
    }

    @Test("A device has the grace period after its link to advertise again", arguments: [1, 8])
    func grace(seconds: Int) {
        var story = story {
            $0.silence = .fixed(.seconds(2))
            $0.grace = .seconds(seconds)
        }
        story.receive()
        story.connect()
        story.wait(.seconds(600))
        story.tracker.disconnected(PresenceStory.identity(1), now: story.now)
        story.wait(.seconds(max(seconds, 2)) - .nanoseconds(1))
        #expect(story.takeEvents() == ["discovered 1"])
        story.wait(.nanoseconds(1))
        #expect(story.takeEvents() == ["lost 1 silent"])
    }

    @Test("An advertisement ends the grace period")
    func graceEnds() {
        var story = story {
            $0.silence = .fixed(.seconds(2))
            $0.grace = .seconds(8)
        }
        story.receive()
        story.connect()
        story.tracker.disconnected(PresenceStory.identity(1), now: story.now)
        story.receive()
        story.wait(.seconds(2))
        #expect(story.takeEvents() == ["discovered 1", "lost 1 silent"])
    }

    @Test("Advertisements below the minimum signal do not count")
    func minimumSignal() {
        var story = story {
            $0.silence = .fixed(.seconds(2))
            $0.minimumSignal = -70
        }
        story.receive(rssi: -71)
        story.receive(rssi: nil)
        #expect(story.takeEvents() == [])
        story.receive(rssi: -70)
        for _ in 0..<4 {
            story.wait(.milliseconds(500))
            story.receive(rssi: -80)
        }
        #expect(story.takeEvents() == ["discovered 1", "lost 1 silent"])
    }

    @Test("A name that arrives later is reported")
    func lateName() {
        var story = PresenceStory()
        story.receive()
        story.receive(name: "Strap")
        story.receive()
        #expect(story.takeEvents() == ["discovered 1", "updated 1 near"])
        #expect(story.tracker.devices.first?.name == "Strap")
    }
}
