// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Unpredictable random bytes from the system (`getrandom` on Linux, `arc4random_buf` on Apple's
/// platforms), suitable for keys.
public enum RandomBytes {
    /// The maximum number of bytes; a greater number is most likely a mistake.
    public static let maximumCount = 1 << 20

    /// Returns random bytes.
    ///
    /// - Parameter count: The number of bytes, from 0 to ``maximumCount``.
    /// - Throws: ``SealingError/randomCount(_:)`` if the number is negative or greater than
    ///   ``maximumCount``.
    public static func data(count: Int) throws(SealingError) -> Data {
        guard (0...maximumCount).contains(count) else { throw .randomCount(count) }
        return draw(count)
    }

    /// Returns random bytes, of a number that is known to be small.
    static func draw(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + MemoryLayout<UInt64>.size)
        while bytes.count < count {
            withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
        }
        return Data(bytes.prefix(count))
    }
}
