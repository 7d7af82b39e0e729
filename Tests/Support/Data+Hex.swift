// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Data {
    /// Creates data from the hexadecimal digits of a text; its other characters are ignored.
    package init(hex: String) {
        let digits = hex.compactMap(\.hexDigitValue)
        precondition(digits.count.isMultiple(of: 2), "half a byte in \(hex)")
        self.init(
            stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        )
    }

    /// Returns the data with one bit inverted.
    package func turning(bit: Int) -> Data {
        var copy = Data(self)
        copy[bit / 8] ^= 1 << UInt8(bit % 8)
        return copy
    }
}
