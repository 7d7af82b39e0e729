// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Takes the zeros out of octets, and puts them back.
///
/// The octets are cut into blocks of up to 254 that are not zero. Before each stands its length plus one,
/// the *code*. Behind each there is a zero, which is left out, but for the last block, and those with 254
/// octets.
enum ByteStuffing {
    private static let longestBlock = 254
    /// The code of a block with no zero behind it.
    private static let fullCode: UInt8 = 0xFF

    /// How long octets are at most when they are stuffed.
    static func stuffedLength(_ count: Int) -> Int { count + count / longestBlock + 1 }

    /// The octets without zeros.
    static func stuff(_ octets: Data) -> Data {
        var stuffed = Data(capacity: stuffedLength(octets.count))
        var rest = octets[...]
        while true {
            let block = rest.prefix(longestBlock).prefix { $0 != 0 }
            stuffed.append(UInt8(block.count + 1))
            stuffed.append(block)
            rest = rest.dropFirst(block.count)
            guard !rest.isEmpty else { return stuffed }
            if block.count < longestBlock { rest = rest.dropFirst() }
        }
    }

    /// The octets with their zeros; nil if these are none that were stuffed.
    static func unstuff(_ stuffed: Data) -> Data? {
        var octets = Data(capacity: stuffed.count)
        var rest = stuffed[...]
        while let code = rest.first {
            rest = rest.dropFirst()
            let block = rest.prefix(Int(code) - 1)
            guard code > 0, block.count == Int(code) - 1 else { return nil }
            octets.append(block)
            rest = rest.dropFirst(block.count)
            if code < fullCode, !rest.isEmpty { octets.append(0) }
        }
        return octets
    }
}
