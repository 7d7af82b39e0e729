// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

/// A tracker with a clock that tests control.
struct PresenceHarness {
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
        var harness = PresenceHarness()
        harness.receive(times: 100, every: .milliseconds(100))
        #expect(harness.takeEvents() == ["discovered 1"])
        #expect(harness.tracker.devices.map(\.identity) == [PresenceHarness.identity(1)])
    }

    @Test(
        "A device that stops advertising is lost after twice its interval and five seconds",
        arguments: [20, 100, 1022, 2500, 10240]
    )
    func lost(milliseconds: Int) {
        var harness = PresenceHarness()
        let interval = Duration.milliseconds(milliseconds)
        harness.receive(times: 40, every: interval)
        _ = harness.takeEvents()
        // `receive` waits for one interval after the last advertisement.
        harness.wait(interval + .seconds(5) - .milliseconds(1))
        #expect(harness.takeEvents() == [])
        harness.wait(.milliseconds(1))
        #expect(harness.takeEvents() == ["lost 1 silent"])
        #expect(harness.tracker.devices == [])
        #expect(harness.tracker.nextDeadline == nil)
    }

    @Test(
        "A device that was received once is treated as having the longest advertising interval",
        arguments: [true, false]
    )
    func receivedOnce(isConnectable: Bool) {
        var harness = PresenceHarness()
        harness.receive(isConnectable: isConnectable)
        harness.wait(.milliseconds(35_750) - .nanoseconds(1))
        #expect(harness.takeEvents() == ["discovered 1"])
        harness.wait(.nanoseconds(1))
        #expect(harness.takeEvents() == ["lost 1 silent"])
    }

    @Test(
        "A device that advertises very slowly is lost once, not repeatedly",
        arguments: [(60, true), (195, true), (600, false), (900, false)]
    )
    func verySlow(seconds: Int, isConnectable: Bool) {
        var harness = PresenceHarness()
        for _ in 0..<50 {
            harness.receive(isConnectable: isConnectable)
            harness.wait(.seconds(seconds))
        }
        #expect(harness.takeEvents() == ["discovered 1", "lost 1 silent", "discovered 1"])
    }

    @Test("A device that was received once and returns much later begins a new visit")
    func returnsLate() {
        var harness = PresenceHarness()
        for _ in 0..<5 {
            harness.receive()
            harness.wait(.seconds(196))
        }
        #expect(harness.takeEvents().count { $0 == "lost 1 silent" } == 5)
    }

    @Test("A break in the scan after a single advertisement is not a gap")
    func breakAfterOnce() {
        var harness = PresenceHarness()
        harness.receive()
        harness.wait(.seconds(40))
        harness.tracker.scanStopped(now: harness.now)
        harness.wait(.seconds(30))
        harness.tracker.scanStarted(now: harness.now)
        harness.receive()
        harness.wait(.milliseconds(35_750))
        #expect(
            harness.takeEvents() == [
                "discovered 1", "lost 1 silent", "discovered 1", "lost 1 silent",
            ]
        )
    }

    @Test("Two packets of one advertising event are not an interval")
    func advertisingEvents() {
        var harness = PresenceHarness()
        for _ in 0..<20 {
            harness.receive()
            harness.wait(.milliseconds(2))
            harness.receive()
            harness.wait(.seconds(2))
        }
        let learned = harness.tracker.device(PresenceHarness.identity(1))?.learnedInterval
        #expect(learned == .seconds(2))
    }

    @Test("A lost device that returns is discovered again, and its interval is learned again")
    func comesBack() {
        var harness = PresenceHarness()
        harness.receive(times: 20, every: .milliseconds(100))
        harness.wait(.seconds(60))
        harness.receive()
        #expect(harness.takeEvents() == ["discovered 1", "lost 1 silent", "discovered 1"])
        #expect(harness.tracker.devices.first?.learnedInterval == nil)
    }

    @Test("A device that becomes slower is lost once, not repeatedly")
    func becomesSlower() {
        var harness = PresenceHarness()
        harness.receive(times: 50, every: .milliseconds(100))
        harness.receive(times: 100, every: .seconds(20))
        #expect(harness.takeEvents() == ["discovered 1", "lost 1 silent", "discovered 1"])
    }

    // MARK: Scanning

    @Test("No device is lost without a scan")
    func pausedScan() {
        var harness = PresenceHarness()
        harness.receive(times: 20, every: .seconds(1))
        harness.tracker.scanStopped(now: harness.now)
        #expect(harness.tracker.nextDeadline == nil)
        harness.wait(.seconds(3600))
        harness.tracker.scanStarted(now: harness.now)
        #expect(harness.takeEvents() == ["discovered 1"])
        harness.wait(.seconds(5))
        #expect(harness.takeEvents() == [])
        harness.wait(.seconds(2))
        #expect(harness.takeEvents() == ["lost 1 silent"])
    }

    @Test("A break in the scan is not a gap of the device")
    func noGapOverBreaks() {
        var harness = PresenceHarness()
        for _ in 0..<10 {
            harness.receive(times: 5, every: .seconds(1))
            harness.tracker.scanStopped(now: harness.now)
            harness.wait(.seconds(30))
            harness.tracker.scanStarted(now: harness.now)
        }
        #expect(harness.tracker.devices.first?.learnedInterval == .seconds(1))
        #expect(harness.takeEvents() == ["discovered 1"])
    }

    @Test("An absent device is lost even if each scan is shorter than its limit")
    func shortScans() {
        var harness = PresenceHarness()
        harness.receive(times: 20, every: .seconds(10))
        for _ in 0..<60 {
            harness.tracker.scanStopped(now: harness.now)
            harness.wait(.seconds(8))
            harness.tracker.scanStarted(now: harness.now)
            harness.wait(.seconds(2))
        }
        #expect(harness.takeEvents() == ["discovered 1", "lost 1 silent"])
    }

    @Test("A repeated start or stop of the scan changes nothing")
    func idempotentScans() {
        var harness = PresenceHarness()
        harness.receive(times: 20, every: .seconds(1))
        harness.tracker.scanStarted(now: harness.now)
        harness.wait(.seconds(6))
        #expect(harness.takeEvents() == ["discovered 1", "lost 1 silent"])
        harness.tracker.scanStopped(now: harness.now)
        harness.tracker.scanStopped(now: harness.now + .seconds(5))
        #expect(harness.tracker.nextDeadline == nil)
    }

    // MARK: Connecting

    @Test(
        "A connecting or connected device is not lost, and its full time limit begins after the link"
    )
    func engaged() {
        var harness = PresenceHarness()
        let identity = PresenceHarness.identity(1)
        harness.receive(times: 20, every: .seconds(1))
        harness.tracker.connecting(identity, now: harness.now)
        harness.wait(.seconds(30))
        harness.connect()
        harness.wait(.seconds(3600))
        harness.tracker.disconnected(identity, now: harness.now)
        harness.wait(.seconds(7) - .nanoseconds(1))
        #expect(harness.takeEvents() == ["discovered 1"])
        harness.wait(.nanoseconds(1))
        #expect(harness.takeEvents() == ["lost 1 silent"])
    }

    @Test("The time of a link is not a gap")
    func noGapOverLinks() {
        var harness = PresenceHarness()
        for _ in 0..<10 {
            harness.receive(times: 5, every: .seconds(1))
            harness.connect()
            harness.wait(.seconds(60))
            harness.tracker.disconnected(PresenceHarness.identity(1), now: harness.now)
        }
        #expect(harness.tracker.devices.first?.learnedInterval == .seconds(1))
    }

    @Test("A device that is connected without a discovery is present")
    func connectedWithoutAdvertising() {
        var harness = PresenceHarness()
        harness.connect()
        #expect(harness.takeEvents() == ["discovered 1"])
        #expect(harness.tracker.devices.first?.discovery == nil)
        harness.tracker.disconnected(PresenceHarness.identity(1), now: harness.now)
        harness.wait(.milliseconds(35_750))
        #expect(harness.takeEvents() == ["lost 1 silent"])
    }

    @Test("A connection attempt to an undiscovered device does not make it present")
    func connectingWithoutAdvertising() {
        var harness = PresenceHarness()
        harness.tracker.connecting(PresenceHarness.identity(1), now: harness.now)
        harness.tracker.disconnected(PresenceHarness.identity(1), now: harness.now)
        #expect(harness.tracker.devices == [])
        #expect(harness.tracker.nextDeadline == nil)
    }

    // MARK: Proximity

    @Test("A fluctuating signal gives no event, and a weakening signal does")
    func updates() {
        var harness = PresenceHarness()
        for number in 0..<200 {
            harness.receive(rssi: number.isMultiple(of: 2) ? -57 : -63)
        }
        #expect(harness.takeEvents() == ["discovered 1"])
        harness.receive(times: 40, every: .milliseconds(100), rssi: -90)
        let events = harness.takeEvents()
        #expect(events.last == "updated 1 far")
        #expect((2...6).contains(events.count))
    }

    @Test("A device between the thresholds keeps its proximity")
    func hysteresis() {
        var harness = PresenceHarness()
        harness.receive(times: 40, every: .milliseconds(100), rssi: -65)
        #expect(harness.tracker.devices.first?.proximity == .near)
        harness.receive(times: 40, every: .milliseconds(100), rssi: -80)
        #expect(harness.tracker.devices.first?.proximity == .near)
        harness.receive(times: 40, every: .milliseconds(100), rssi: -90)
        #expect(harness.tracker.devices.first?.proximity == .far)
        harness.receive(times: 40, every: .milliseconds(100), rssi: -75)
        #expect(harness.tracker.devices.first?.proximity == .far)
        harness.receive(times: 40, every: .milliseconds(100), rssi: -68)
        #expect(harness.tracker.devices.first?.proximity == .near)
    }

    @Test("An unknown signal strength does not change the average")
    func unknownStrength() {
        var harness = PresenceHarness()
        harness.receive(rssi: nil)
        #expect(harness.tracker.devices.first?.signal == nil)
        harness.receive(rssi: -50)
        for _ in 0..<10 { harness.receive(rssi: nil) }
        #expect(harness.tracker.devices.first?.signal == -50)
        harness.receive(rssi: -60)
        #expect(harness.tracker.devices.first?.signal == -53)
    }

    // MARK: Bounds

    @Test(
        "Beyond the limit, the device received longest ago is removed, unless it is connected"
    )
    func displaced() {
        var rules = PresenceRules()
        rules.deviceLimit = 3
        var harness = PresenceHarness(rules: rules)
        for number in 1...3 {
            harness.receive(number)
            harness.wait(.seconds(1))
        }
        harness.connect(1)
        _ = harness.takeEvents()
        harness.receive(4)
        #expect(harness.takeEvents() == ["lost 2 displaced", "discovered 4"])
        harness.connect(5)
        #expect(harness.takeEvents() == ["lost 3 displaced", "discovered 5"])
        harness.connect(4)
        harness.receive(6)
        #expect(harness.takeEvents() == ["discovered 6"])
    }

    @Test("Two identities of one device are merged")
    func merged() {
        var harness = PresenceHarness()
        harness.receive(1)
        harness.receive(2)
        harness.connect(1)
        harness.merge(1, into: 2)
        #expect(harness.tracker.devices.map(\.identity) == [PresenceHarness.identity(2)])
        harness.wait(.seconds(1000))
        #expect(harness.takeEvents() == ["discovered 1", "discovered 2", "lost 1 merged"])
        harness.merge(2, into: 3)
        #expect(harness.takeEvents() == ["lost 2 merged", "discovered 3"])
        #expect(harness.tracker.devices.map(\.identity) == [PresenceHarness.identity(3)])
    }
}
