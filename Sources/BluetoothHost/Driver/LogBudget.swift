// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// How many lines a log gets in a stretch of time; the rest are counted.
struct LogBudget {
    static let linesPerPeriod = 20
    static let period: Duration = .seconds(10)

    private var periodEnd = Instant.zero
    private var spent = 0
    private var suppressed = 0

    /// Takes leave for one line. Returns how many lines were left out since the last; nil if this
    /// one is to be left out as well.
    mutating func spend(now: Instant) -> Int? {
        if now >= periodEnd {
            periodEnd = now + Self.period
            spent = 0
        }
        guard spent < Self.linesPerPeriod else {
            suppressed += 1
            return nil
        }
        spent += 1
        defer { suppressed = 0 }
        return suppressed
    }
}
