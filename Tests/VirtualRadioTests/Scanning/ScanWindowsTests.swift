// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("The channels and windows of a scanning radio")
struct ScanWindowsTests {
    static let step = ScanSchedule.step

    static func windows(_ interval: UInt16, _ window: UInt16, start: Int64 = 0) -> ScanWindows {
        ScanWindows(timing(interval, window), start: start)
    }

    static func timing(_ interval: UInt16, _ window: UInt16) -> ScanSchedule {
        ScanSchedule(
            interval: HCI.ScanInterval(rawValue: interval),
            window: HCI.ScanInterval(rawValue: window)
        )
    }

    @Test("The scanner uses the three channels in turn, one for each interval")
    func channels() {
        let windows = Self.windows(16, 16)
        let received = (0..<7).map { turn in
            let from = Int64(turn) * 16 * Self.step
            return windows.channel(from: from, to: from + 376_000)
        }
        #expect(received == [37, 38, 39, 37, 38, 39, 37])
    }

    @Test(
        "Exactly the packets within a window are received",
        arguments: [(4, 4), (5, 4), (8, 4), (7, 6), (16, 5)] as [(UInt16, UInt16)]
    )
    func everyPlace(interval: UInt16, window: UInt16) {
        let start: Int64 = 12_345
        let windows = Self.windows(interval, window, start: start)
        let grain = Self.step / 5
        let length = 3 * grain
        for place in 0..<(Int64(interval) * 5 * 7) {
            let from = start + place * grain
            let turn = place / (Int64(interval) * 5)
            let offset = place % (Int64(interval) * 5)
            let isInside = offset + 3 <= Int64(window) * 5
            let expected = isInside ? 37 + Int(turn % 3) : nil
            #expect(windows.channel(from: from, to: from + length) == expected)
        }
    }

    @Test("A packet may fill the window, but not exceed it by a nanosecond")
    func edges() {
        let windows = Self.windows(8, 4)
        let window = 4 * Self.step
        #expect(windows.channel(from: 0, to: window) == 37)
        #expect(windows.channel(from: 0, to: window + 1) == nil)
        #expect(windows.channel(from: 1, to: window + 1) == nil)
        #expect(windows.channel(from: 8 * Self.step - 1, to: 8 * Self.step) == nil)
    }

    @Test("With a window as long as the interval, only channel changes interrupt the reception")
    func continuous() {
        let windows = Self.windows(4, 4)
        let end = 4 * Self.step
        #expect(windows.channel(from: end - 100, to: end) == 37)
        #expect(windows.channel(from: end - 100, to: end + 1) == nil)
        #expect(windows.channel(from: end, to: end + 100) == 38)
    }

    @Test("Nothing is received before the scan begins")
    func before() {
        let windows = Self.windows(4, 4, start: 1_000)
        #expect(windows.channel(from: 999, to: 1_500) == nil)
        #expect(!windows.isOpen(from: 0, to: 1_000))
        #expect(windows.isOpen(from: 0, to: 1_001))
    }

    @Test("The schedule reports whether a window is open within a period", arguments: 0..<200)
    func openness(place: Int) {
        let windows = Self.windows(8, 3)
        let from = Int64(place) * Self.step / 10
        for length in [1, Self.step / 2, Self.step, 5 * Self.step, 9 * Self.step] {
            let instants = stride(from: from, to: from + length, by: 12_500)
            let expected = instants.contains { $0 % (8 * Self.step) < 3 * Self.step }
            #expect(windows.isOpen(from: from, to: from + length) == expected)
        }
    }

    @Test("Invalid timings are changed to valid timings")
    func invalidTimings() {
        let windows = Self.windows(0, 0xFFFF)
        #expect(windows.interval == Self.step && windows.window == Self.step)
    }
}

@Suite("One radio for two PHYs")
struct ListeningPlanTests {
    static func plan(_ uncoded: (UInt16, UInt16)?, _ coded: (UInt16, UInt16)?) -> ListeningPlan? {
        ListeningPlan(
            start: .zero,
            uncoded: uncoded.map { ScanWindowsTests.timing($0.0, $0.1) },
            coded: coded.map { ScanWindowsTests.timing($0.0, $0.1) }
        )
    }

    @Test("Without a PHY, there is no plan")
    func nothing() {
        #expect(Self.plan(nil, nil) == nil)
    }

    @Test("A PHY that is not scanned is not received")
    func others() throws {
        let uncoded = try #require(Self.plan((16, 16), nil))
        #expect(uncoded.channel(.le1M, from: 0, to: 100) == 37)
        #expect(uncoded.channel(.le2M, from: 0, to: 100) == nil)
        #expect(uncoded.channel(.codedS8, from: 0, to: 100) == nil)
        let coded = try #require(Self.plan(nil, (16, 16)))
        #expect(coded.channel(.le1M, from: 0, to: 100) == nil)
        #expect(coded.channel(.codedS8, from: 0, to: 100) == 37)
        #expect(coded.channel(.codedS2, from: 0, to: 100) == 37)
    }

    @Test(
        "Both PHYs are received, but never at the same time",
        arguments: [
            ((16, 8), (16, 8)), ((16, 4), (16, 12)), ((16, 16), (16, 16)), ((10, 4), (30, 10)),
            ((30, 10), (10, 4)), ((16, 16), (100, 50)), ((7, 3), (11, 6)),
        ] as [((UInt16, UInt16), (UInt16, UInt16))]
    )
    func sharing(uncoded: (UInt16, UInt16), coded: (UInt16, UInt16)) throws {
        let plan = try #require(Self.plan(uncoded, coded))
        let grain = ScanSchedule.step / 2
        var received = (uncoded: 0, coded: 0)
        let count = 20_000
        for place in 0..<Int64(count) {
            let from = place * grain
            let one = plan.channel(.le1M, from: from, to: from + grain) != nil
            let other = plan.channel(.codedS8, from: from, to: from + grain) != nil
            #expect(!(one && other))
            if one || other { #expect(plan.isOpen(from: from, to: from + grain)) }
            received.uncoded += one ? 1 : 0
            received.coded += other ? 1 : 0
        }
        #expect(received.uncoded > count / 20 && received.coded > count / 20)
        let share = { (timing: (UInt16, UInt16)) in Double(timing.1) / Double(timing.0) }
        guard share(uncoded) + share(coded) <= 1, uncoded.0 == coded.0 else { return }
        #expect(abs(Double(received.uncoded) / Double(count) - share(uncoded)) < 0.01)
        #expect(abs(Double(received.coded) / Double(count) - share(coded)) < 0.01)
    }
}
