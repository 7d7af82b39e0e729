// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A limit on the number of log lines in a period. Lines above the limit are counted.
struct LogBudget {
    static let linesPerPeriod = 20
    static let period: Duration = .seconds(10)

    private var periodEnd = Instant.zero
    private var spent = 0
    private var suppressed = 0

    /// Requests permission to log one line.
    ///
    /// - Returns: The number of lines that were suppressed since the last permitted one; `nil` if
    ///   this line must be suppressed too.
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
