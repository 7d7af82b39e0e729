// SPDX-License-Identifier: Apache-2.0

import LanyardTestSupport
import Testing

/// What happens to bytes on a bad wire.
enum Noise: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A byte that nobody sent.
    case inserted
    /// A byte that does not arrive.
    case dropped
    /// A bit that arrives as its opposite.
    case flipped

    var testDescription: String { "bytes \(rawValue)" }

    /// The bytes as they arrive, of which about one in `odds` is struck.
    func strike(_ bytes: [UInt8], oneIn odds: Int, using random: inout SplitMix64) -> [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            guard random.happens(oneIn: odds) else { return [byte] }
            return switch self {
            case .inserted: random.bytes(1) + [byte]
            case .dropped: []
            case .flipped: [byte ^ (1 << UInt8.random(in: 0..<8, using: &random))]
            }
        }
    }
}

/// A wire on which some bytes are struck by noise, while that lasts.
struct NoisyWire {
    private let noise: Noise
    private let odds: Int
    private var random: SplitMix64
    /// How many bytes the noise has still before it.
    private var left: Int

    /// - Parameter length: after how many bytes the noise is over.
    init(_ noise: Noise, oneIn odds: Int, seed: UInt64, lasting length: Int = .max) {
        self.noise = noise
        self.odds = odds
        random = SplitMix64(seed: seed)
        left = length
    }

    mutating func carry(_ bytes: [UInt8]) -> [UInt8] {
        let struck = noise.strike(Array(bytes.prefix(left)), oneIn: odds, using: &random)
        defer { left = max(0, left - bytes.count) }
        return struck + bytes.dropFirst(left)
    }
}
