// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Presence options")
struct PresenceOptionsTests {
    private func harness(_ change: (inout PresenceOptions) -> Void) -> PresenceHarness {
        var options = PresenceOptions()
        change(&options)
        return PresenceHarness(rules: PresenceRules(options))
    }

    @Test(
        "A device with few gaps is lost after three times the longest gap plus 5 seconds",
        arguments: 2...16
    )
    func fewGaps(count: Int) {
        var harness = PresenceHarness()
        harness.receive(times: count - 1, every: .milliseconds(900))
        // One packet was lost.
        harness.wait(.milliseconds(900))
        harness.receive()
        _ = harness.takeEvents()
        harness.wait(.milliseconds(1800) * 3 + .seconds(5) - .nanoseconds(1))
        #expect(harness.takeEvents() == [])
        harness.wait(.nanoseconds(1))
        #expect(harness.takeEvents() == ["lost 1 silent"])
    }

    @Test("A fixed silence applies to every device, however often it was received")
    func fixed() {
        var harness = PresenceHarness(rules: PresenceRules(PresenceOptions(lostAfter: .seconds(2))))
        harness.receive(1)
        harness.receive(2, isConnectable: false)
        harness.receive(3, times: 60, every: .milliseconds(100))
        #expect(
            harness.takeEvents() == [
                "discovered 1", "discovered 2", "discovered 3", "lost 1 silent", "lost 2 silent",
            ]
        )
        harness.wait(.milliseconds(1900) - .nanoseconds(1))
        #expect(harness.takeEvents() == [])
        harness.wait(.nanoseconds(1))
        #expect(harness.takeEvents() == ["lost 3 silent"])
    }

    @Test("A device has the grace period after its link to advertise again", arguments: [1, 8])
    func grace(seconds: Int) {
        var harness = harness {
            $0.silence = .fixed(.seconds(2))
            $0.grace = .seconds(seconds)
        }
        harness.receive()
        harness.connect()
        harness.wait(.seconds(600))
        harness.tracker.disconnected(PresenceHarness.identity(1), now: harness.now)
        harness.wait(.seconds(max(seconds, 2)) - .nanoseconds(1))
        #expect(harness.takeEvents() == ["discovered 1"])
        harness.wait(.nanoseconds(1))
        #expect(harness.takeEvents() == ["lost 1 silent"])
    }

    @Test("An advertisement ends the grace period")
    func graceEnds() {
        var harness = harness {
            $0.silence = .fixed(.seconds(2))
            $0.grace = .seconds(8)
        }
        harness.receive()
        harness.connect()
        harness.tracker.disconnected(PresenceHarness.identity(1), now: harness.now)
        harness.receive()
        harness.wait(.seconds(2))
        #expect(harness.takeEvents() == ["discovered 1", "lost 1 silent"])
    }

    @Test("Advertisements below the minimum signal do not count")
    func minimumSignal() {
        var harness = harness {
            $0.silence = .fixed(.seconds(2))
            $0.minimumSignal = -70
        }
        harness.receive(rssi: -71)
        harness.receive(rssi: nil)
        #expect(harness.takeEvents() == [])
        harness.receive(rssi: -70)
        for _ in 0..<4 {
            harness.wait(.milliseconds(500))
            harness.receive(rssi: -80)
        }
        #expect(harness.takeEvents() == ["discovered 1", "lost 1 silent"])
    }

    @Test("A name that arrives later is reported")
    func lateName() {
        var harness = PresenceHarness()
        harness.receive()
        harness.receive(name: "Strap")
        harness.receive()
        #expect(harness.takeEvents() == ["discovered 1", "updated 1 near"])
        #expect(harness.tracker.devices.first?.name == "Strap")
    }
}
