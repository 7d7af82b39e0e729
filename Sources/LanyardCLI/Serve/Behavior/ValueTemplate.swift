// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The description of a value: pieces in a row, some of which may change. A template with such
/// pieces describes a sequence of values. Each value depends on its index in the sequence and, with
/// a sine, on the time between values.
struct ValueTemplate: Equatable, Sendable {
    /// A piece of a value.
    enum Piece: Equatable, Sendable {
        /// Fixed bytes.
        case bytes([UInt8])
        /// A number, in units of ten to the power of `exponent`.
        case number(VaryingNumber, NumberFormat, exponent: Int)
        /// The values in turn, repeated. Not empty.
        case list([[UInt8]])
    }

    let pieces: [Piece]

    init(_ pieces: [Piece]) {
        self.pieces = pieces
    }

    /// Creates a fixed value.
    init(bytes: [UInt8]) {
        pieces = [.bytes(bytes)]
    }

    /// Whether a piece of the value may change.
    var isMoving: Bool { pieces.contains(where: \.isMoving) }

    /// Whether a value depends on the time between values, and not only on its index.
    var needsClock: Bool { pieces.contains(where: \.needsClock) }

    /// The length of the longest value, in bytes.
    var longestCount: Int { pieces.reduce(0) { $0 + $1.longestCount } }

    /// Returns the value at this index, if a new value comes every `seconds`.
    func bytes(at index: Int = 0, every seconds: Double = 0) -> [UInt8] {
        pieces.flatMap { $0.bytes(at: index, every: seconds) }
    }
}

extension ValueTemplate.Piece {
    fileprivate var isMoving: Bool {
        switch self {
        case .bytes: false
        case .number(let number, _, _): number.isMoving
        case .list: true
        }
    }

    fileprivate var needsClock: Bool {
        if case .number(let number, _, _) = self { number.needsClock } else { false }
    }

    fileprivate var longestCount: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .number(_, let format, _): format.count
        case .list(let values): values.map(\.count).max() ?? 0
        }
    }

    fileprivate func bytes(at index: Int, every seconds: Double) -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .number(let number, let format, let exponent):
            format.encode(number.value(at: index, every: seconds), exponent: exponent)
        case .list(let values): values.isEmpty ? [] : values[index % values.count]
        }
    }
}

/// A number that may change. It is a function of its index in the sequence of numbers and, for a
/// sine, of the time between numbers.
enum VaryingNumber: Equatable, Sendable {
    /// A constant.
    case constant(Double)
    /// A ramp that goes from one end toward the other by `step` and then begins again.
    case ramp(from: Double, to: Double, step: Double)
    /// A sine between `low` and `high` that starts in the middle and rises, with a period in
    /// seconds.
    case sine(low: Double, high: Double, period: Double)
    /// A counter that wraps at the ends of the range.
    case counter(start: Double, step: Double, range: ClosedRange<Double>)
    /// The numbers in turn, repeated. Not empty.
    case list([Double])

    /// Whether the number may change.
    var isMoving: Bool {
        if case .constant = self { false } else { true }
    }

    /// Whether the number depends on the time between numbers, and not only on its index.
    var needsClock: Bool {
        if case .sine = self { true } else { false }
    }

    /// Returns the number at this index, if a new number comes every `seconds`.
    func value(at index: Int, every seconds: Double) -> Double {
        switch self {
        case .constant(let number): number
        case .ramp(let from, let to, let step):
            Self.ramp(from, to, step: step, after: index)
        case .sine(let low, let high, let period):
            (low + high) / 2 + (high - low) / 2
                * sin(
                    2 * .pi * (Double(index) * seconds).truncatingRemainder(dividingBy: period)
                        / period
                )
        case .counter(let start, let step, let range):
            Self.wrap(start + step * Double(index), into: range)
        case .list(let numbers): numbers.isEmpty ? 0 : numbers[index % numbers.count]
        }
    }

    /// Returns the number after `count` steps. The ramp begins again instead of passing its other
    /// end.
    private static func ramp(
        _ from: Double,
        _ to: Double,
        step: Double,
        after count: Int
    ) -> Double {
        // The division of decimal fractions, such as 0.3 by 0.1, can be slightly too small.
        let steps = (abs(to - from) / step * (1 + divisionError)).rounded(.down) + 1
        let index = Double(count).truncatingRemainder(dividingBy: steps)
        return from + (to < from ? -step : step) * index
    }

    /// The largest relative error of the division of two decimal fractions that is corrected.
    private static let divisionError = 1e-12

    private static func wrap(_ number: Double, into range: ClosedRange<Double>) -> Double {
        let span = range.upperBound - range.lowerBound + 1
        let offset = (number - range.lowerBound).truncatingRemainder(dividingBy: span)
        return range.lowerBound + (offset < 0 ? offset + span : offset)
    }
}
