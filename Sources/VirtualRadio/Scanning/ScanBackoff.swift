// SPDX-License-Identifier: Apache-2.0

/// The procedure by which scanners that ask the same advertiser at the same time do not do so for
/// ever (Vol 6, Part B, 4.4.3.2): who fails, holds back.
///
/// Terms: a request *succeeds* if its response is heard, and fails otherwise. The `upperLimit` is
/// doubled by every second failure and halved by every second success in a row; after each request
/// a number up to the limit is drawn, and so many advertisements are let pass until the next.
struct ScanBackoff: Sendable {
    /// How far the upper limit goes.
    static let limitMaximum: UInt64 = 256

    /// How many advertisements may be let pass at most.
    private(set) var upperLimit: UInt64 = 1
    /// How many are to pass, the one included that is answered.
    private(set) var count: UInt64 = 1
    private var successes = 0
    private var failures = 0

    /// An advertisement was heard that could be answered: whether it is its turn.
    mutating func takesTurn() -> Bool {
        count = count > 0 ? count - 1 : 0
        return count == 0
    }

    /// The response to a request was heard.
    mutating func succeeded(_ dice: inout RandomStream) {
        failures = 0
        successes += 1
        if successes == 2 {
            successes = 0
            upperLimit = max(1, upperLimit / 2)
        }
        draw(&dice)
    }

    /// The response to a request was not heard.
    mutating func failed(_ dice: inout RandomStream) {
        successes = 0
        failures += 1
        if failures == 2 {
            failures = 0
            upperLimit = min(Self.limitMaximum, upperLimit * 2)
        }
        draw(&dice)
    }

    private mutating func draw(_ dice: inout RandomStream) {
        count = 1 + dice.uniform(below: upperLimit)
    }
}
