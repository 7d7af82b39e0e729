// SPDX-License-Identifier: Apache-2.0

/// The cyclic redundancy check of Ethernet and of ZIP files (polynomial 0x04C11DB7, reflected).
///
/// It detects accidental damage to files: every single bit error, every burst of up to 32 bits, and
/// a part that is missing or full of zeros. It does not protect against deliberate changes, because
/// the check can be changed too. A hash without a key has the same limit, and a key would have to
/// be stored beside the file.
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
