// SPDX-License-Identifier: Apache-2.0

/// AES-128 in CCM mode with the parameters of LE links: 13-byte nonces, 4-byte authentication codes
/// and 2-byte lengths (Vol 6, Part E, 1 and 2; RFC 3610).
///
/// The cryptographic library does not offer this mode. The implementation needs only the encryption
/// of single blocks.
package struct AESCCM: Sendable {
    package static let nonceLength = 13
    package static let codeLength = 4

    private let cipher: AES128

    /// Creates a cipher; `nil` if the key does not have 16 bytes. The key's most significant byte
    /// comes first.
    package init?(key: some Collection<UInt8>) {
        guard let cipher = AES128(key: key) else { return nil }
        self.cipher = cipher
    }

    /// Encrypts a message and appends the code that authenticates the message and `context`.
    ///
    /// - Returns: The ciphertext and the code, or `nil` if the nonce, the message or the context
    ///   has an invalid length.
    package func seal(
        _ message: some Collection<UInt8>,
        nonce: [UInt8],
        context: [UInt8]
    ) -> [UInt8]? {
        guard let code = code(of: Array(message), nonce, context),
            let text = applyStream(to: Array(message), nonce)
        else { return nil }
        return text + code
    }

    /// Decrypts a message and verifies its code.
    ///
    /// - Returns: The message, or `nil` if the code is wrong or a length is invalid. A wrong code
    ///   means that the message was changed, or was sealed with another key, nonce or context.
    package func open(
        _ sealed: some Collection<UInt8>,
        nonce: [UInt8],
        context: [UInt8]
    ) -> [UInt8]? {
        guard sealed.count >= Self.codeLength,
            let message = applyStream(to: Array(sealed.dropLast(Self.codeLength)), nonce),
            let code = code(of: message, nonce, context)
        else { return nil }
        let differences = zip(code, sealed.suffix(Self.codeLength)).reduce(0 as UInt8) {
            $0 | ($1.0 ^ $1.1)
        }
        return differences == 0 ? message : nil
    }

    /// The maximum length of a message, because its length is encoded in two bytes.
    private static let lengthLimit = Int(UInt16.max)

    /// Returns the authentication code: the last block of a CBC chain over the nonce, the context
    /// and the message, encrypted with block 0 of the key stream.
    private func code(of message: [UInt8], _ nonce: [UInt8], _ context: [UInt8]) -> [UInt8]? {
        guard message.count <= Self.lengthLimit, context.count < 0xFF00,
            let mask = streamBlock(0, nonce)
        else { return nil }
        let flags: UInt8 = (context.isEmpty ? 0 : 0x40) | 0x09
        var blocks = [flags] + nonce + Self.bigEndian(message.count)
        if !context.isEmpty { blocks += Self.padded(Self.bigEndian(context.count) + context) }
        blocks += Self.padded(message)
        var last = [UInt8](repeating: 0, count: AES128.blockLength)
        for start in stride(from: 0, to: blocks.count, by: AES128.blockLength) {
            let block = zip(last, blocks[start...]).map { $0 ^ $1 }
            guard let next = cipher.encrypt(block) else { return nil }
            last = next
        }
        return zip(last, mask).prefix(Self.codeLength).map { $0 ^ $1 }
    }

    private func applyStream(to message: [UInt8], _ nonce: [UInt8]) -> [UInt8]? {
        guard message.count <= Self.lengthLimit else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(message.count)
        for start in stride(from: 0, to: message.count, by: AES128.blockLength) {
            let number = start / AES128.blockLength + 1
            guard let block = streamBlock(number, nonce) else { return nil }
            result += zip(message[start...], block).map { $0 ^ $1 }
        }
        return result
    }

    private func streamBlock(_ number: Int, _ nonce: [UInt8]) -> [UInt8]? {
        guard nonce.count == Self.nonceLength else { return nil }
        return cipher.encrypt([0x01] + nonce + Self.bigEndian(number))
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        let length = AES128.blockLength
        return bytes + [UInt8](repeating: 0, count: (length - bytes.count % length) % length)
    }
}
