// SPDX-License-Identifier: Apache-2.0

/// The cyclic redundancy check of Ethernet and of ZIP files (polynomial 0x04C11DB7, reflected).
///
/// It notices what happens to files by accident: every single bit that flips, every burst of up to
/// 32 bits, a part that is missing or full of zeros. Who changes a file on purpose can change the
/// check too, and would be no more hindered by a hash without a key; a key would have to lie beside it.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320
        }
    }

    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        let table = table
        return ~bytes.reduce(UInt32.max) { value, byte in
            table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8
        }
    }
}
