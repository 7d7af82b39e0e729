// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Random octets that nobody can predict: the system's (`getrandom` on Linux, `arc4random_buf` on Apple's
/// platforms), fit for keys.
public enum RandomBytes {
    /// More are refused: who asks for them has miscounted.
    public static let maximumCount = 1 << 20

    /// Random octets.
    /// - Throws: `randomCount` if there are to be fewer than none, or more than `maximumCount`.
    public static func data(count: Int) throws(SealingError) -> Data {
        guard (0...maximumCount).contains(count) else { throw .randomCount(count) }
        return draw(count)
    }

    /// Random octets, of a number that is known to be small.
    static func draw(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        var octets: [UInt8] = []
        octets.reserveCapacity(count + MemoryLayout<UInt64>.size)
        while octets.count < count {
            withUnsafeBytes(of: generator.next()) { octets.append(contentsOf: $0) }
        }
        return Data(octets.prefix(count))
    }
}
