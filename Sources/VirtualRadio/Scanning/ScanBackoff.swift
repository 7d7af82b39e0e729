// SPDX-License-Identifier: Apache-2.0

/// The backoff procedure, which prevents scanners from sending requests to the same advertiser at
/// the same time again and again (Vol 6, Part B, 4.4.3.2).
///
/// A request *succeeds* if its response is received, and fails otherwise. Every second failure in a
/// row doubles the `upperLimit`, and every second success in a row halves it. After each request
/// the procedure draws a number n from 1 to the limit, and the scanner sends its next request after
/// the n-th advertisement.
struct ScanBackoff: Sendable {
    /// The largest upper limit.
    static let limitMaximum: UInt64 = 256

    /// The largest number that can be drawn.
    private(set) var upperLimit: UInt64 = 1
    /// The number of advertisements up to and including the one that is answered with a request.
    private(set) var count: UInt64 = 1
    private var successes = 0
    private var failures = 0

    /// Counts an advertisement that can be answered with a request.
    ///
    /// - Returns: Whether to send the request.
    mutating func admitsRequest() -> Bool {
        count = count > 0 ? count - 1 : 0
        return count == 0
    }

    /// Records that the response to a request was received.
    mutating func succeeded(_ generator: inout RandomStream) {
        failures = 0
        successes += 1
        if successes == 2 {
            successes = 0
            upperLimit = max(1, upperLimit / 2)
        }
        draw(&generator)
    }

    /// Records that the response to a request was not received.
    mutating func failed(_ generator: inout RandomStream) {
        successes = 0
        failures += 1
        if failures == 2 {
            failures = 0
            upperLimit = min(Self.limitMaximum, upperLimit * 2)
        }
        draw(&generator)
    }

    private mutating func draw(_ generator: inout RandomStream) {
        count = 1 + generator.uniform(below: upperLimit)
    }
}
