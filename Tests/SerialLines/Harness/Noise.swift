// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

/// A kind of error on a wire.
enum Noise: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A byte that was not sent.
    case inserted
    /// A byte that does not arrive.
    case dropped
    /// A bit that is inverted.
    case flipped

    var testDescription: String { "bytes \(rawValue)" }

    /// Returns the bytes as they arrive. On average, one byte in `odds` has an error.
    func distort(_ bytes: [UInt8], oneIn odds: Int, using random: inout SplitMix64) -> [UInt8] {
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

/// A wire that causes errors in a limited number of bytes.
struct NoisyWire {
    private let noise: Noise
    private let odds: Int
    private var random: SplitMix64
    /// The number of further bytes that may have errors.
    private var left: Int

    /// Creates a wire with errors.
    ///
    /// - Parameter length: The number of bytes after which the errors end.
    init(_ noise: Noise, oneIn odds: Int, seed: UInt64, lasting length: Int = .max) {
        self.noise = noise
        self.odds = odds
        random = SplitMix64(seed: seed)
        left = length
    }

    mutating func carry(_ bytes: [UInt8]) -> [UInt8] {
        let distorted = noise.distort(Array(bytes.prefix(left)), oneIn: odds, using: &random)
        defer { left = max(0, left - bytes.count) }
        return distorted + bytes.dropFirst(left)
    }
}
