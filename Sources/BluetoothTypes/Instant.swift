// SPDX-License-Identifier: Apache-2.0

/// A point in time, in nanoseconds since an arbitrary start that all instants of one host share.
///
/// The protocol cores read no clock. Their caller passes the current time.
public struct Instant: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The nanoseconds since the start.
    public let nanoseconds: Int64

    /// Creates the instant `nanoseconds` after the start.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The start, at 0 nanoseconds.
    public static let zero = Instant(nanoseconds: 0)

    /// Returns whether `left` is before `right`.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Returns the instant that is `duration` later, limited to the representable instants.
    public static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        guard overflow else { return Instant(nanoseconds: sum) }
        return Instant(nanoseconds: duration < .zero ? .min : .max)
    }

    /// Returns the time from `earlier` to `later`, which is negative if `later` is the earlier one.
    public static func - (later: Instant, earlier: Instant) -> Duration {
        .nanoseconds(later.nanoseconds) - .nanoseconds(earlier.nanoseconds)
    }

    /// The seconds since the start, with six decimal places and the unit, for example `1.500000s`.
    public var description: String {
        let microseconds = nanoseconds.magnitude / 1000
        let sign = nanoseconds < 0 && microseconds > 0 ? "-" : ""
        let fraction = String(microseconds % 1_000_000)
        let zeros = String(repeating: "0", count: max(0, 6 - fraction.count))
        return "\(sign)\(microseconds / 1_000_000).\(zeros)\(fraction)s"
    }
}

/// Returns the earlier of two deadlines, either of which may be `nil`.
@inlinable
package func earliest(_ left: Instant?, _ right: Instant?) -> Instant? {
    guard let left else { return right }
    guard let right else { return left }
    return min(left, right)
}

extension Duration {
    /// The duration in whole nanoseconds, limited to the range of `Int64`.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carried ? (seconds < 0 ? .min : .max) : sum
    }
}
