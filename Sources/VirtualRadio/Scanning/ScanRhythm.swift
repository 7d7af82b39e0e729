// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How much of which interval a host wants listened to, in steps of 0.625 ms.
struct ScanTiming: Hashable, Sendable {
    /// From the start of one window to the start of the next.
    let interval: Int
    /// How much of each interval is listened to.
    let window: Int

    /// A step, in nanoseconds.
    static let step: Int64 = 625_000

    /// The timing; what cannot be is drawn to the nearest that can.
    init(interval: HCI.ScanInterval, window: HCI.ScanInterval) {
        self.interval = max(1, Int(interval.rawValue))
        self.window = min(Int(window.rawValue), self.interval)
    }
}

/// When a radio listens on which primary channel (Vol 6, Part B, 4.4.3): at the start of every
/// interval it turns to the next of the channels 37, 38 and 39, and listens there for the window.
///
/// Nothing happens at these times; where the radio is follows from how long it has been listening.
/// So a scanner that hears nothing costs nothing. All times are in nanoseconds.
struct ScanRhythm: Hashable, Sendable {
    /// When the first window opened.
    let start: Int64
    /// From the opening of one window to that of the next; not 0.
    let interval: Int64
    /// How long each is open.
    let window: Int64

    /// The rhythm that begins at `start`. It may open a window every so many steps of `every`
    /// instead of the timing's interval.
    init(_ timing: ScanTiming, start: Int64, every interval: Int? = nil) {
        self.start = start
        self.interval = Int64(interval ?? timing.interval) * ScanTiming.step
        window = Int64(timing.window) * ScanTiming.step
    }

    /// The channel on which the radio listens all the time from `from` to `to`; nil if there is
    /// none: a window opens or closes in between.
    func channel(from: Int64, to: Int64) -> Int? {
        let elapsed = from &- start
        guard elapsed >= 0 else { return nil }
        let (turn, offset) = elapsed.quotientAndRemainder(dividingBy: interval)
        guard offset &+ (to &- from) <= window else { return nil }
        return 37 + Int(turn % 3)
    }

    /// Whether a window is open at some time between `from` and `to`.
    func isOpen(from: Int64, to: Int64) -> Bool {
        guard to > start else { return false }
        let elapsed = max(0, from &- start)
        let offset = elapsed % interval
        return offset < window || offset &+ (to &- start &- elapsed) > interval
    }
}
