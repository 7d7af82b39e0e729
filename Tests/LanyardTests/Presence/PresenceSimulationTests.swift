// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

/// Devices that advertise for days, with lost packets, and the reports of the tracker.
@Suite("Presence over days")
struct PresenceSimulationTests {
    /// The losses that the tracker reported in the simulated time.
    struct Tally {
        var falseLosses = 0
        /// The number of stays at whose end the tracker still had the device, with a learned
        /// interval.
        var departures = 0
        var days = 0.0
    }

    @Test(
        "With 20 % packet loss, fewer than 0.5 losses of a present device are reported in a day",
        arguments: [100, 417, 1285, 2000, 5000, 10240]
    )
    func falseLosses(milliseconds: Int) async {
        var generator = SplitMix64(seed: UInt64(milliseconds))
        var tally = Tally()
        // About 200,000 events for each interval.
        let stays = min(80, max(1, milliseconds / 100))
        for _ in 0..<stays {
            await live(.seconds(21_600), every: milliseconds, loss: 20, &tally, using: &generator)
        }
        print("interval \(milliseconds) ms: \(tally.falseLosses) false losses, \(tally.days) days")
        #expect(Double(tally.falseLosses) / tally.days < 0.5)
        #expect(tally.departures == stays)
    }

    @Test(
        "With 20 % packet loss, few devices that are present for a short time are lost meanwhile",
        arguments: [100, 1285, 2000, 5000, 10240]
    )
    func shortStays(milliseconds: Int) {
        var generator = SplitMix64(seed: UInt64(milliseconds))
        let stays = 2_000
        var losses = 0
        for _ in 0..<stays {
            var harness = PresenceHarness()
            // Twenty advertising events, so that the interval is learned at the end.
            for _ in 0..<20 {
                if Int.random(in: 0..<100, using: &generator) >= 20 { harness.receive() }
                harness.wait(
                    .milliseconds(milliseconds + Int.random(in: 0...10, using: &generator))
                )
            }
            losses += harness.takeEvents().count { $0.hasPrefix("lost") }
        }
        print("interval \(milliseconds) ms: \(losses) losses in \(stays) short stays")
        #expect(Double(losses) / Double(stays) < 0.1)
    }

    @Test(
        "A device that leaves every hour is lost within twice its learned interval and 5 seconds",
        arguments: [100, 1285, 10240]
    )
    func realLosses(milliseconds: Int) async {
        var generator = SplitMix64(seed: UInt64(milliseconds))
        var tally = Tally()
        for _ in 0..<24 {
            await live(.seconds(3600), every: milliseconds, loss: 20, &tally, using: &generator)
        }
        #expect(tally.falseLosses <= 2)
        #expect(tally.departures == 24)
    }

    @Test(
        "With fewer than 16 gaps, a device is lost within three times the longest gap plus 5 s",
        arguments: [100, 1285, 2000, 5000, 10240]
    )
    func shortVisits(milliseconds: Int) async {
        var generator = SplitMix64(seed: UInt64(milliseconds))
        var harness = PresenceHarness()
        var visits = 0
        // Two days of devices that come and go.
        while harness.now < .seconds(2 * 86_400) {
            let bound = visit(every: milliseconds, &harness, using: &generator)
            visits += 1
            if visits.isMultiple(of: 200) { await Task.yield() }
            guard let bound else { continue }
            harness.wait(bound)
            #expect(harness.tracker.devices.isEmpty, "visit \(visits)")
            // After this silence, the next advertisement begins a new visit.
            harness.wait(.seconds(900))
            _ = harness.takeEvents()
        }
        print("interval \(milliseconds) ms: \(visits) visits")
        #expect(visits > 100)
    }

    /// Lets a device make up to 16 advertising events, with lost packets. Returns the longest time
    /// from now until its loss; `nil` if all packets were lost.
    private func visit(
        every milliseconds: Int,
        _ harness: inout PresenceHarness,
        using generator: inout SplitMix64
    ) -> Duration? {
        var last: Duration?
        var longest: Duration?
        for _ in 0..<Int.random(in: 1...16, using: &generator) {
            if Int.random(in: 0..<100, using: &generator) >= 20 {
                if let last { longest = max(longest ?? .zero, harness.now - last) }
                last = harness.now
                harness.receive()
            }
            let delay = Int.random(in: 0...10_000, using: &generator)
            harness.wait(.milliseconds(milliseconds) + .microseconds(delay))
        }
        guard let last else { return nil }
        let limit = (longest ?? .milliseconds(10_250)) * 3 + .seconds(5)
        return max(last + limit - harness.now, .zero)
    }

    @Test(
        "With 20 % packet loss, a device that advertises every minute or slower is rarely lost",
        arguments: [(60, true), (150, true), (600, false)]
    )
    func slowDevices(seconds: Int, isConnectable: Bool) {
        var generator = SplitMix64(seed: UInt64(seconds))
        var harness = PresenceHarness()
        while harness.now < .seconds(20 * 86_400) {
            if Int.random(in: 0..<100, using: &generator) >= 20 {
                harness.receive(isConnectable: isConnectable)
            }
            harness.wait(.seconds(seconds))
        }
        let losses = harness.takeEvents().count { $0.hasPrefix("lost") }
        print("interval \(seconds) s: \(losses) false losses in 20 days")
        #expect(losses < 10)
    }

    /// Lets a device arrive, advertise for a time, and leave. Its loss must be reported in time.
    private func live(
        _ length: Duration,
        every milliseconds: Int,
        loss percent: Int,
        _ tally: inout Tally,
        using generator: inout SplitMix64
    ) async {
        var harness = PresenceHarness()
        var eventCount = 0
        while harness.now < length {
            eventCount += 1
            // The test threads are few, so this test yields to others.
            if eventCount.isMultiple(of: 2_000) { await Task.yield() }
            if Int.random(in: 0..<100, using: &generator) >= percent { harness.receive() }
            // Each advertising event has a random delay of 0 to 10 ms (Vol 6, Part B, 4.4.2.2.1).
            let delay = Int.random(in: 0...10_000, using: &generator)
            harness.wait(.milliseconds(milliseconds) + .microseconds(delay))
        }
        tally.falseLosses += harness.takeEvents().count { $0.hasPrefix("lost") }
        tally.days += Double(length.components.seconds) / 86_400
        guard let learned = harness.tracker.devices.first?.learnedInterval else { return }
        tally.departures += 1
        harness.wait(learned * 2 + .seconds(5))
        #expect(harness.takeEvents() == ["lost 1 silent"])
    }

    @Test(
        "After random steps, events alternate, few devices are kept, and there is a deadline",
        arguments: RunSeed.seeds(8)
    )
    func randomWalk(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var rules = PresenceRules()
        rules.deviceLimit = 20
        var walk = PresenceWalk(rules: rules)
        for _ in 0..<4000 { walk.step(using: &generator) }
        #expect(walk.violation == nil)
    }
}

/// A walk that makes random steps on a tracker, and keeps the first rule that they violate.
struct PresenceWalk {
    private let rules: PresenceRules
    private var harness: PresenceHarness
    private var present: Set<AccessoryIdentity> = []
    private var linked: Set<AccessoryIdentity> = []
    private var isScanning = true
    private(set) var violation: String?

    init(rules: PresenceRules) {
        self.rules = rules
        harness = PresenceHarness(rules: rules)
    }

    mutating func step(using generator: inout SplitMix64) {
        let number = Int.random(in: 0..<40, using: &generator)
        let identity = PresenceHarness.identity(number)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0 where linked.count < 15:
            harness.connect(number)
            linked.insert(identity)
        case 1, 2, 3:
            harness.tracker.disconnected(identity, now: harness.now)
            linked.remove(identity)
        case 4:
            harness.tracker.scanStopped(now: harness.now)
            isScanning = false
        case 5:
            harness.tracker.scanStarted(now: harness.now)
            isScanning = true
        case 6, 7:
            harness.wait(.seconds(Int.random(in: 0..<400, using: &generator)))
        default:
            harness.receive(number, rssi: Int.random(in: -100 ... -40, using: &generator))
            harness.wait(.milliseconds(Int.random(in: 0..<500, using: &generator)))
        }
        check()
    }

    private mutating func check() {
        for event in harness.events { follow(event) }
        _ = harness.takeEvents()
        let devices = harness.tracker.devices
        if Set(devices.map(\.identity)) != present {
            note("the list of devices differs from the events")
        }
        if devices.count > rules.deviceLimit { note("too many devices") }
        if !linked.isSubset(of: present) { note("a connected device is not present") }
        let canLose = present.count > linked.count
        if isScanning && canLose && harness.tracker.nextDeadline == nil { note("no deadline") }
        if !isScanning && harness.tracker.nextDeadline != nil { note("a deadline without a scan") }
    }

    private mutating func follow(_ event: PresenceEvent) {
        let identity = event.device.identity
        switch event {
        case .discovered:
            if !present.insert(identity).inserted { note("discovered twice") }
        case .updated:
            if !present.contains(identity) { note("updated though lost") }
        case .lost:
            if present.remove(identity) == nil { note("lost twice") }
            if linked.contains(identity) { note("lost though connected") }
        }
    }

    private mutating func note(_ text: String) {
        if violation == nil { violation = "\(text) at \(harness.now)" }
    }
}
