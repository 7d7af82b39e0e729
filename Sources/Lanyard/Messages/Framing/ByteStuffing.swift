// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The removal of zeros from a sequence of bytes, and their restoration.
///
/// The bytes are divided into blocks of up to 254 nonzero bytes. Each block is preceded by its
/// length plus one, the *code*. A zero follows each block except the last one and those with 254
/// bytes; the zero itself is omitted.
enum ByteStuffing {
    private static let longestBlock = 254
    /// The code of a block without a following zero.
    private static let fullCode: UInt8 = 0xFF

    /// Returns the maximum length of the stuffed form.
    static func stuffedLength(_ count: Int) -> Int { count + count / longestBlock + 1 }

    /// Returns the bytes without zeros.
    static func stuff(_ bytes: Data) -> Data {
        var stuffed = Data(capacity: stuffedLength(bytes.count))
        var rest = bytes[...]
        while true {
            let block = rest.prefix(longestBlock).prefix { $0 != 0 }
            stuffed.append(UInt8(block.count + 1))
            stuffed.append(block)
            rest = rest.dropFirst(block.count)
            guard !rest.isEmpty else { return stuffed }
            if block.count < longestBlock { rest = rest.dropFirst() }
        }
    }

    /// Returns the original bytes; `nil` if the input is not a stuffed sequence.
    static func unstuff(_ stuffed: Data) -> Data? {
        var bytes = Data(capacity: stuffed.count)
        var rest = stuffed[...]
        while let code = rest.first {
            rest = rest.dropFirst()
            let block = rest.prefix(Int(code) - 1)
            guard code > 0, block.count == Int(code) - 1 else { return nil }
            bytes.append(block)
            rest = rest.dropFirst(block.count)
            if code < fullCode, !rest.isEmpty { bytes.append(0) }
        }
        return bytes
    }
}
