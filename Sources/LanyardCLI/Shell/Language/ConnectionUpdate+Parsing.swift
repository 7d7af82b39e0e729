// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

extension ConnectionUpdate {
    /// Parses an interval or its range, the latency and the timeout, with times in milliseconds;
    /// `nil` if there are no words. Without a timeout, the update has the host's default.
    static func parse(
        _ arguments: inout ShellArguments
    ) throws(ProgramFailure) -> ConnectionUpdate? {
        let numbers = arguments.takeAll()
        guard let first = numbers.first else { return nil }
        let bounds = first.split(separator: "-", omittingEmptySubsequences: false).map {
            Double($0)
        }
        guard (1...2).contains(bounds.count), let low = bounds[0],
            let high = bounds[bounds.count - 1],
            intervals.contains(low), intervals.contains(high), low <= high, numbers.count <= 3
        else { throw wrong(arguments) }
        var update = ConnectionUpdate(
            intervalMinimum: .milliseconds(low),
            intervalMaximum: .milliseconds(high)
        )
        let rest = Array(numbers.dropFirst())
        if let text = rest.first {
            guard let latency = Int(text), latencies.contains(latency) else {
                throw wrong(arguments)
            }
            update.peripheralLatency = latency
        }
        if rest.count > 1 {
            guard let timeout = Double(rest[1]), timeouts.contains(timeout) else {
                throw wrong(arguments)
            }
            update.supervisionTimeout = .milliseconds(timeout)
        }
        return update
    }

    /// The valid values, with times in milliseconds (Vol 4, Part E, 7.8.18).
    private static let intervals = 7.5...4_000.0
    private static let latencies = 0...499
    private static let timeouts = 100.0...32_000.0

    private static func wrong(_ arguments: ShellArguments) -> ProgramFailure {
        .usage(
            "the parameters are not valid",
            advice: "use an interval of 7.5 to 4000 ms (30 or 15-30), a latency of 0 to 499, and a "
                + "timeout of 100 to 32000 ms"
        )
    }
}
