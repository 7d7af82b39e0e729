// SPDX-License-Identifier: Apache-2.0

/// AES-CMAC (RFC 4493; Vol 3, Part H, 2.2.5) with any function that encrypts a block.
///
/// The package uses it where the cryptographic library has no CMAC: on Apple's platforms.
enum CMAC {
    /// Returns the code of a message, or `nil` if the encryption of a block fails.
    ///
    /// - Parameters:
    ///   - message: A message of any length.
    ///   - encrypt: The function that encrypts one block with the key.
    static func code(of message: [UInt8], encrypt: ([UInt8]) -> [UInt8]?) -> [UInt8]? {
        let length = PlatformCiphers.blockLength
        guard let zero = encrypt([UInt8](repeating: 0, count: length)) else { return nil }
        let isWhole = !message.isEmpty && message.count.isMultiple(of: length)
        let mask = isWhole ? doubled(zero) : doubled(doubled(zero))
        let padding = [0x80] + [UInt8](repeating: 0, count: length)
        let blocks = isWhole ? message : message + padding.prefix(length - message.count % length)

        var code = [UInt8](repeating: 0, count: length)
        for start in stride(from: 0, to: blocks.count, by: length) {
            var block = zip(code, blocks[start...]).map { $0 ^ $1 }
            if start + length == blocks.count { block = zip(block, mask).map { $0 ^ $1 } }
            guard let next = encrypt(block) else { return nil }
            code = next
        }
        return code
    }

    /// Returns twice a number of the field with 2¹²⁸ elements, for the subkeys (RFC 4493, 2.3).
    private static func doubled(_ number: [UInt8]) -> [UInt8] {
        let following = number.dropFirst() + [0]
        var result = zip(number, following).map { $0 << 1 | $1 >> 7 }
        if number[0] & 0x80 != 0 { result[result.count - 1] ^= 0x87 }
        return result
    }
}
