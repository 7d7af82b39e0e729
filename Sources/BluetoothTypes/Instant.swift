// SPDX-License-Identifier: Apache-2.0

/// A point in time, in nanoseconds since an arbitrary start that all instants of one host share.
///
/// Below the driver nothing reads a clock: whoever calls a core says what time it is.
public struct Instant: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Nanoseconds since the start.
    public let nanoseconds: Int64

    /// Makes the instant that lies `nanoseconds` after the start.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The start itself.
    public static let zero = Instant(nanoseconds: 0)

    /// Orders instants by time.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant that lies `duration` later.
    public static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return Instant(nanoseconds: overflow ? .max : sum)
    }

    /// The time from `earlier` to `later`; negative if they are the other way round.
    public static func - (later: Instant, earlier: Instant) -> Duration {
        .nanoseconds(later.nanoseconds &- earlier.nanoseconds)
    }

    /// Seconds since the start, to the microsecond.
    public var description: String {
        let microseconds = nanoseconds / 1000
        let fraction = String(microseconds % 1_000_000)
        let zeros = String(repeating: "0", count: max(0, 6 - fraction.count))
        return "\(microseconds / 1_000_000).\(zeros)\(fraction)s"
    }
}

/// The earlier of two deadlines, of which either may be missing.
package func earliest(_ left: Instant?, _ right: Instant?) -> Instant? {
    guard let left else { return right }
    guard let right else { return left }
    return min(left, right)
}

extension Duration {
    /// The duration in whole nanoseconds, held within what 64 bits can say.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carried ? (seconds < 0 ? .min : .max) : sum
    }
}
