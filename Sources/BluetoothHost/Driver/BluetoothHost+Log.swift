// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// The host's log.
extension BluetoothHost {
    /// Logs a line at the level `debug`. The number of lines is limited, because peers can cause
    /// them.
    func log(_ text: String) {
        guard let suppressed = logRateLimit.spend(now: executor.now) else { return }
        if suppressed > 0 {
            configuration.logger.debug("\(suppressed) lines were suppressed before this line")
        }
        configuration.logger.debug("\(text)")
    }

    /// Logs a change of the adapter's state. A failure is a warning, because a person may have to
    /// fix it. It is logged once, although the host keeps trying.
    func log(_ state: AdapterState) {
        switch state {
        case .unavailable(let failure) where failure != loggedFailure:
            loggedFailure = failure
            configuration.logger.warning("the adapter cannot be used: \(failure)")
        case .ready where loggedFailure != nil:
            loggedFailure = nil
            configuration.logger.notice("the adapter \(transport.name) can be used again")
        default: configuration.logger.debug("adapter \(transport.name): \(state)")
        }
    }
}

/// A limit on the number of log lines in a period. Lines above the limit are counted.
struct LogRateLimit {
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
