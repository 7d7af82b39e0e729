// SPDX-License-Identifier: Apache-2.0

/// What a value is made of: pieces one after another, of which some may move. Whoever has a
/// template and a count has the value; nothing else is kept.
struct ValueTemplate: Equatable, Sendable {
    /// One piece.
    enum Piece: Equatable, Sendable {
        /// Octets that stay.
        case bytes([UInt8])
        /// A number, in units of ten to the power of `exponent`.
        case number(MovingNumber, NumberFormat, exponent: Int)
        /// One of these after another, and from the beginning again. Not empty.
        case list([[UInt8]])
    }

    let pieces: [Piece]

    init(_ pieces: [Piece]) {
        self.pieces = pieces
    }

    /// A value that stays.
    init(bytes: [UInt8]) {
        pieces = [.bytes(bytes)]
    }

    /// Whether the value is ever another.
    var isMoving: Bool { pieces.contains(where: \.isMoving) }

    /// Whether the value follows the clock, and not only the count.
    var needsClock: Bool { pieces.contains(where: \.needsClock) }

    /// The longest value that it makes, in octets.
    var longestCount: Int { pieces.reduce(0) { $0 + $1.longestCount } }

    /// The value after `count` others, one every `seconds`.
    func bytes(after count: Int = 0, every seconds: Double = 0) -> [UInt8] {
        pieces.flatMap { $0.bytes(after: count, every: seconds) }
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

    fileprivate func bytes(after count: Int, every seconds: Double) -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .number(let number, let format, let exponent):
            format.encode(number.value(after: count, every: seconds), exponent: exponent)
        case .list(let values): values.isEmpty ? [] : values[count % values.count]
        }
    }
}
