// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The scan interval and window of a host, in steps of 0.625 ms.
struct ScanSchedule: Hashable, Sendable {
    /// The time from the start of one window to the start of the next.
    let interval: Int
    /// The time in each interval during which the radio listens.
    let window: Int

    /// A step, in nanoseconds.
    static let step: Int64 = 625_000

    /// Creates the timing. An interval of 0 becomes 1, and a longer window becomes as long as the
    /// interval.
    init(interval: HCI.ScanInterval, window: HCI.ScanInterval) {
        self.interval = max(1, Int(interval.rawValue))
        self.window = min(Int(window.rawValue), self.interval)
    }
}

/// The times at which a radio listens on each primary channel (Vol 6, Part B, 4.4.3). At the start
/// of every interval it changes to the next of the channels 37, 38 and 39, and listens there for
/// the window.
///
/// These times have no events on the timeline. The channel follows from the time since the start,
/// so a scanner that receives nothing costs nothing. All times are in nanoseconds.
struct ScanWindows: Hashable, Sendable {
    /// The instant at which the first window opened.
    let start: Int64
    /// The time from the start of one window to the start of the next; not 0.
    let interval: Int64
    /// The length of each window.
    let window: Int64

    /// Creates the windows that begin at `start`.
    ///
    /// - Parameter interval: The interval in steps, in place of the timing's own interval.
    init(_ timing: ScanSchedule, start: Int64, every interval: Int? = nil) {
        self.start = start
        self.interval = Int64(interval ?? timing.interval) * ScanSchedule.step
        window = Int64(timing.window) * ScanSchedule.step
    }

    /// Returns the channel on which the radio listens all the time from `from` to `to`; `nil` if it
    /// does not, because no window covers that time.
    func channel(from: Int64, to: Int64) -> Int? {
        let elapsed = from &- start
        guard elapsed >= 0 else { return nil }
        let (turn, offset) = elapsed.quotientAndRemainder(dividingBy: interval)
        guard offset &+ (to &- from) <= window else { return nil }
        return 37 + Int(turn % 3)
    }

    /// Returns whether a window is open at some time between `from` and `to`.
    func isOpen(from: Int64, to: Int64) -> Bool {
        guard to > start else { return false }
        let elapsed = max(0, from &- start)
        let offset = elapsed % interval
        return offset < window || offset &+ (to &- start &- elapsed) > interval
    }
}
