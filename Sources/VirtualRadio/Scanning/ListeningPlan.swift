// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The times at which one radio listens for advertisements on LE 1M, on LE Coded, or on both.
///
/// The radio cannot listen on both at the same time. The host's scan parameters are recommendations
/// (Vol 4, Part E, 7.8.64), and the radio follows them in this way:
///
/// 1. If there is time for both windows, each PHY has its own windows, and LE Coded begins when the
///    first window of LE 1M closes. If the intervals differ, windows may overlap. The radio then
///    listens on the PHY with the longer interval, because its next window is further away.
/// 2. If there is not enough time, the PHYs alternate: an interval of LE 1M, then one of LE Coded.
struct ListeningPlan: Hashable, Sendable {
    private let uncoded: ScanWindows?
    private let coded: ScanWindows?

    /// Creates the plan that begins at `start`; `nil` if there is no PHY to listen on.
    init?(start: Instant, uncoded: ScanSchedule?, coded: ScanSchedule?) {
        let start = start.nanoseconds
        switch (uncoded, coded) {
        case (nil, nil): return nil
        case (let uncoded?, nil):
            self.uncoded = ScanWindows(uncoded, start: start)
            self.coded = nil
        case (nil, let coded?):
            self.uncoded = nil
            self.coded = ScanWindows(coded, start: start)
        case (let uncoded?, let coded?) where Self.hasRoom(for: uncoded, and: coded):
            let second = start + Int64(uncoded.window) * ScanSchedule.step
            self.uncoded = ScanWindows(uncoded, start: start)
            self.coded = ScanWindows(coded, start: second)
        case (let uncoded?, let coded?):
            let both = uncoded.interval + coded.interval
            let second = start + Int64(uncoded.interval) * ScanSchedule.step
            self.uncoded = ScanWindows(uncoded, start: start, every: both)
            self.coded = ScanWindows(coded, start: second, every: both)
        }
    }

    /// Returns the primary channel on which the radio listens, with a receiver for the modulation,
    /// all the time from `from` to `to`, in nanoseconds; `nil` if there is none.
    func channel(_ modulation: Modulation, from: Int64, to: Int64) -> Int? {
        switch modulation {
        case .le1M: Self.channel(uncoded, beside: coded, from: from, to: to)
        case .le2M: nil
        case .codedS2, .codedS8: Self.channel(coded, beside: uncoded, from: from, to: to)
        }
    }

    /// Returns whether the radio listens, on any channel, at some time between `from` and `to`, in
    /// nanoseconds.
    func isOpen(from: Int64, to: Int64) -> Bool {
        uncoded?.isOpen(from: from, to: to) ?? false || coded?.isOpen(from: from, to: to) ?? false
    }

    private static func channel(
        _ windows: ScanWindows?,
        beside other: ScanWindows?,
        from: Int64,
        to: Int64
    ) -> Int? {
        guard let windows, let channel = windows.channel(from: from, to: to) else { return nil }
        if let other, other.interval > windows.interval, other.isOpen(from: from, to: to) {
            return nil
        }
        return channel
    }

    /// Returns whether the radio can keep both windows open for their whole length.
    private static func hasRoom(for one: ScanSchedule, and other: ScanSchedule) -> Bool {
        one.window * other.interval + other.window * one.interval <= one.interval * other.interval
    }
}
