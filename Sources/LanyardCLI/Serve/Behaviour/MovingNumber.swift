// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A number that may be another each time: what it is follows from how many came before it.
enum MovingNumber: Equatable, Sendable {
    /// Always the same.
    case constant(Double)
    /// Rises, or falls, from one end to the other by `step`, and begins again.
    case ramp(from: Double, to: Double, step: Double)
    /// Swings from the middle of the two up to `high` and down to `low`, once in `period` seconds.
    case sine(low: Double, high: Double, period: Double)
    /// Counts, and goes on at the other end of the range.
    case counter(start: Double, step: Double, range: ClosedRange<Double>)
    /// One after another, and from the beginning again. Not empty.
    case list([Double])

    /// Whether it is ever another.
    var isMoving: Bool {
        if case .constant = self { false } else { true }
    }

    /// Whether it follows the clock, and not only the count.
    var needsClock: Bool {
        if case .sine = self { true } else { false }
    }

    /// The number after `count` others, one every `seconds`.
    func value(after count: Int, every seconds: Double) -> Double {
        switch self {
        case .constant(let number): number
        case .ramp(let from, let to, let step):
            Self.ramp(from, to, step: step, after: count)
        case .sine(let low, let high, let period):
            (low + high) / 2 + (high - low) / 2
                * sin(
                    2 * .pi * (Double(count) * seconds).truncatingRemainder(dividingBy: period)
                        / period
                )
        case .counter(let start, let step, let range):
            Self.wrap(start + step * Double(count), into: range)
        case .list(let numbers): numbers.isEmpty ? 0 : numbers[count % numbers.count]
        }
    }

    /// The steps from one end that do not pass the other, over and over.
    private static func ramp(
        _ from: Double,
        _ to: Double,
        step: Double,
        after count: Int
    ) -> Double {
        let steps = (abs(to - from) / step).rounded(.down) + 1
        let index = Double(count).truncatingRemainder(dividingBy: steps)
        return from + (to < from ? -step : step) * index
    }

    private static func wrap(_ number: Double, into range: ClosedRange<Double>) -> Double {
        let span = range.upperBound - range.lowerBound + 1
        let offset = (number - range.lowerBound).truncatingRemainder(dividingBy: span)
        return range.lowerBound + (offset < 0 ? offset + span : offset)
    }
}
