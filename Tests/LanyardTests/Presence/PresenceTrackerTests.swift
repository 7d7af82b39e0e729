// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

/// A tracker with a clock that tests control.
struct PresenceStory {
    var tracker: PresenceTracker
    var now = Duration.zero
    private(set) var events: [PresenceEvent] = []
    private let identifier = UUID()

    init(rules: PresenceRules = PresenceRules()) {
        tracker = PresenceTracker(rules: rules)
        tracker.scanStarted(now: now)
    }

    static func identity(_ number: Int) -> AccessoryIdentity {
        .manufacturer(
            company: 0xFFFF,
            identifier: Data([UInt8(number >> 8), UInt8(number & 0xFF)])
        )
    }

    /// Advances the time, and loses devices when they are due.
    mutating func wait(_ duration: Duration) {
        let end = now + duration
        while let deadline = tracker.nextDeadline, deadline <= end {
            now = max(now, deadline)
            events += tracker.deadlinePassed(now: now)
        }
        now = end
    }

    mutating func receive(
        _ number: Int = 1,
        name: String? = nil,
        rssi: Int? = -60,
        isConnectable: Bool = true
    ) {
        let discovery = Discovery(
            identifier: identifier,
            name: name,
            rssi: rssi,
            isConnectable: isConnectable
        )
        events += tracker.received(discovery, as: Self.identity(number), now: now)
    }

    /// Lets a device advertise a number of times, without losses.
    mutating func receive(_ number: Int = 1, times: Int, every interval: Duration, rssi: Int? = -60)
    {
        for _ in 0..<times {
            receive(number, rssi: rssi)
            wait(interval)
        }
    }

    mutating func merge(_ number: Int, into other: Int) {
        events += tracker.merge(Self.identity(number), into: Self.identity(other))
    }

    mutating func connect(_ number: Int = 1) {
        events += tracker.connected(Self.identity(number), now: now)
    }

    /// Returns the events since the last call, in short form.
    mutating func takeEvents() -> [String] {
        defer { events = [] }
        return events.map(Self.text)
    }

    private static func text(_ event: PresenceEvent) -> String {
        guard case .manufacturer(_, let bytes) = event.device.identity else { return "?" }
        let number = bytes.reduce(0) { $0 << 8 | Int($1) }
        return switch event {
        case .discovered: "discovered \(number)"
        case .updated(let device): "updated \(number) \(device.proximity)"
        case .lost(_, let loss): "lost \(number) \(loss)"
        }
    }
}

@Suite("Presence tracker")
struct PresenceTrackerTests {
    @Test("A device is discovered once, however often it is received")
    func discovered() {
        var story = PresenceStory()
        story.receive(times: 100, every: .milliseconds(100))
        #expect(story.takeEvents() == ["discovered 1"])
        #expect(story.tracker.devices.map(\.identity) == [PresenceStory.identity(1)])
    }

    @Test(
        "A device that stops advertising is lost after twice its interval and five seconds",
        arguments: [20, 100, 1022, 2500, 10240]
    )
    func lost(milliseconds: Int) {
        var story = PresenceStory()
        let interval = Duration.milliseconds(milliseconds)
        story.receive(times: 40, every: interval)
        _ = story.takeEvents()
        // `receive` waits for one interval after the last advertisement.
        story.wait(interval + .seconds(5) - .milliseconds(1))
        #expect(story.takeEvents() == [])
        story.wait(.milliseconds(1))
        #expect(story.takeEvents() == ["lost 1 silent"])
        #expect(story.tracker.devices == [])
        #expect(story.tracker.nextDeadline == nil)
    }

    @Test(
        "A device that was received once is treated as having the longest advertising interval",
        arguments: [true, false]
    )
    func receivedOnce(isConnectable: Bool) {
        var story = PresenceStory()
        story.receive(isConnectable: isConnectable)
        story.wait(.milliseconds(35_750) - .nanoseconds(1))
        #expect(story.takeEvents() == ["discovered 1"])
        story.wait(.nanoseconds(1))
        #expect(story.takeEvents() == ["lost 1 silent"])
    }

    @Test(
        "A device that advertises very slowly is lost once, not repeatedly",
        arguments: [(60, true), (195, true), (600, false), (900, false)]
    )
    func verySlow(seconds: Int, isConnectable: Bool) {
        var story = PresenceStory()
        for _ in 0..<50 {
            story.receive(isConnectable: isConnectable)
            story.wait(.seconds(seconds))
        }
        #expect(story.takeEvents() == ["discovered 1", "lost 1 silent", "discovered 1"])
    }

    @Test("A device that was received once and returns much later begins a new visit")
    func returnsLate() {
        var story = PresenceStory()
        for _ in 0..<5 {
            story.receive()
            story.wait(.seconds(196))
        }
        #expect(story.takeEvents().count { $0 == "lost 1 silent" } == 5)
    }

    @Test("A break in the scan after a single advertisement is not a gap")
    func breakAfterOnce() {
        var story = PresenceStory()
        story.receive()
        story.wait(.seconds(40))
        story.tracker.scanStopped(now: story.now)
        story.wait(.seconds(30))
        story.tracker.scanStarted(now: story.now)
        story.receive()
        story.wait(.milliseconds(35_750))
        #expect(
            story.takeEvents() == [
                "discovered 1", "lost 1 silent", "discovered 1", "lost 1 silent",
            ]
        )
    }

    @Test("Two packets of one advertising event are not an interval")
    func advertisingEvents() {
        var story = PresenceStory()
        for _ in 0..<20 {
            story.receive()
            story.wait(.milliseconds(2))
            story.receive()
            story.wait(.seconds(2))
        }
        let learned = story.tracker.device(PresenceStory.identity(1))?.learnedInterval
        #expect(learned == .seconds(2))
    }

    @Test("A lost device that returns is discovered again, and its interval is learned again")
    func comesBack() {
        var story = PresenceStory()
        story.receive(times: 20, every: .milliseconds(100))
        story.wait(.seconds(60))
        story.receive()
        #expect(story.takeEvents() == ["discovered 1", "lost 1 silent", "discovered 1"])
        #expect(story.tracker.devices.first?.learnedInterval == nil)
    }

    @Test("A device that becomes slower is lost once, not repeatedly")
    func becomesSlower() {
        var story = PresenceStory()
        story.receive(times: 50, every: .milliseconds(100))
        story.receive(times: 100, every: .seconds(20))
        #expect(story.takeEvents() == ["discovered 1", "lost 1 silent", "discovered 1"])
    }

    // MARK: Scanning

    @Test("No device is lost without a scan")
    func pausedScan() {
        var story = PresenceStory()
        story.receive(times: 20, every: .seconds(1))
        story.tracker.scanStopped(now: story.now)
        #expect(story.tracker.nextDeadline == nil)
        story.wait(.seconds(3600))
        story.tracker.scanStarted(now: story.now)
        #expect(story.takeEvents() == ["discovered 1"])
        story.wait(.seconds(5))
        #expect(story.takeEvents() == [])
        story.wait(.seconds(2))
        #expect(story.takeEvents() == ["lost 1 silent"])
    }

    @Test("A break in the scan is not a gap of the device")
    func noGapOverBreaks() {
        var story = PresenceStory()
        for _ in 0..<10 {
            story.receive(times: 5, every: .seconds(1))
            story.tracker.scanStopped(now: story.now)
            story.wait(.seconds(30))
            story.tracker.scanStarted(now: story.now)
        }
        #expect(story.tracker.devices.first?.learnedInterval == .seconds(1))
        #expect(story.takeEvents() == ["discovered 1"])
    }

    @Test("An absent device is lost even if each scan is shorter than its limit")
    func shortScans() {
        var story = PresenceStory()
        story.receive(times: 20, every: .seconds(10))
        for _ in 0..<60 {
            story.tracker.scanStopped(now: story.now)
            story.wait(.seconds(8))
            story.tracker.scanStarted(now: story.now)
            story.wait(.seconds(2))
        }
        #expect(story.takeEvents() == ["discovered 1", "lost 1 silent"])
    }

    @Test("A repeated start or stop of the scan changes nothing")
    func idempotentScans() {
        var story = PresenceStory()
        story.receive(times: 20, every: .seconds(1))
        story.tracker.scanStarted(now: story.now)
        story.wait(.seconds(6))
        #expect(story.takeEvents() == ["discovered 1", "lost 1 silent"])
        story.tracker.scanStopped(now: story.now)
        story.tracker.scanStopped(now: story.now + .seconds(5))
        #expect(story.tracker.nextDeadline == nil)
    }

    // MARK: Connecting

    @Test(
        "A device that is connected or connecting is not lost, and later gets its full limit"
    )
    func engaged() {
        var story = PresenceStory()
        let identity = PresenceStory.identity(1)
        story.receive(times: 20, every: .seconds(1))
        story.tracker.connecting(identity, now: story.now)
        story.wait(.seconds(30))
        story.connect()
        story.wait(.seconds(3600))
        story.tracker.disconnected(identity, now: story.now)
        story.wait(.seconds(7) - .nanoseconds(1))
        #expect(story.takeEvents() == ["discovered 1"])
        story.wait(.nanoseconds(1))
        #expect(story.takeEvents() == ["lost 1 silent"])
    }

    @Test("The time of a link is not a gap")
    func noGapOverLinks() {
        var story = PresenceStory()
        for _ in 0..<10 {
            story.receive(times: 5, every: .seconds(1))
            story.connect()
            story.wait(.seconds(60))
            story.tracker.disconnected(PresenceStory.identity(1), now: story.now)
        }
        #expect(story.tracker.devices.first?.learnedInterval == .seconds(1))
    }

    @Test("A device that is connected without a discovery is present")
    func connectedWithoutAdvertising() {
        var story = PresenceStory()
        story.connect()
        #expect(story.takeEvents() == ["discovered 1"])
        #expect(story.tracker.devices.first?.discovery == nil)
        story.tracker.disconnected(PresenceStory.identity(1), now: story.now)
        story.wait(.milliseconds(35_750))
        #expect(story.takeEvents() == ["lost 1 silent"])
    }

    @Test("A connection attempt to an undiscovered device does not make it present")
    func connectingWithoutAdvertising() {
        var story = PresenceStory()
        story.tracker.connecting(PresenceStory.identity(1), now: story.now)
        story.tracker.disconnected(PresenceStory.identity(1), now: story.now)
        #expect(story.tracker.devices == [])
        #expect(story.tracker.nextDeadline == nil)
    }

    // MARK: Proximity

    @Test("A fluctuating signal gives no event, and a moving one does")
    func updates() {
        var story = PresenceStory()
        for number in 0..<200 {
            story.receive(rssi: number.isMultiple(of: 2) ? -57 : -63)
        }
        #expect(story.takeEvents() == ["discovered 1"])
        story.receive(times: 40, every: .milliseconds(100), rssi: -90)
        let events = story.takeEvents()
        #expect(events.last == "updated 1 far")
        #expect((2...6).contains(events.count))
    }

    @Test("A device between the thresholds keeps its proximity")
    func hysteresis() {
        var story = PresenceStory()
        story.receive(times: 40, every: .milliseconds(100), rssi: -65)
        #expect(story.tracker.devices.first?.proximity == .near)
        story.receive(times: 40, every: .milliseconds(100), rssi: -80)
        #expect(story.tracker.devices.first?.proximity == .near)
        story.receive(times: 40, every: .milliseconds(100), rssi: -90)
        #expect(story.tracker.devices.first?.proximity == .far)
        story.receive(times: 40, every: .milliseconds(100), rssi: -75)
        #expect(story.tracker.devices.first?.proximity == .far)
        story.receive(times: 40, every: .milliseconds(100), rssi: -68)
        #expect(story.tracker.devices.first?.proximity == .near)
    }

    @Test("An unknown signal strength does not change the average")
    func unknownStrength() {
        var story = PresenceStory()
        story.receive(rssi: nil)
        #expect(story.tracker.devices.first?.signal == nil)
        story.receive(rssi: -50)
        for _ in 0..<10 { story.receive(rssi: nil) }
        #expect(story.tracker.devices.first?.signal == -50)
        story.receive(rssi: -60)
        #expect(story.tracker.devices.first?.signal == -53)
    }

    // MARK: Bounds

    @Test(
        "Beyond the limit, the device received longest ago is removed, unless it is connected"
    )
    func displaced() {
        var rules = PresenceRules()
        rules.deviceLimit = 3
        var story = PresenceStory(rules: rules)
        for number in 1...3 {
            story.receive(number)
            story.wait(.seconds(1))
        }
        story.connect(1)
        _ = story.takeEvents()
        story.receive(4)
        #expect(story.takeEvents() == ["lost 2 displaced", "discovered 4"])
        story.connect(5)
        #expect(story.takeEvents() == ["lost 3 displaced", "discovered 5"])
        story.connect(4)
        story.receive(6)
        #expect(story.takeEvents() == ["discovered 6"])
    }

    @Test("Two identities of one device are merged")
    func merged() {
        var story = PresenceStory()
        story.receive(1)
        story.receive(2)
        story.connect(1)
        story.merge(1, into: 2)
        #expect(story.tracker.devices.map(\.identity) == [PresenceStory.identity(2)])
        story.wait(.seconds(1000))
        #expect(story.takeEvents() == ["discovered 1", "discovered 2", "lost 1 merged"])
        story.merge(2, into: 3)
        #expect(story.takeEvents() == ["lost 2 merged", "discovered 3"])
        #expect(story.tracker.devices.map(\.identity) == [PresenceStory.identity(3)])
    }
}
