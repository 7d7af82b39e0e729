// SPDX-License-Identifier: Apache-2.0

import Crypto

#if os(Linux)
    import CryptoExtras
#else
    import CommonCrypto
#endif

/// The functions that CryptoKit lacks.
///
/// On Linux, they use BoringSSL, a part of swift-crypto. On Apple's platforms, where `Crypto` is
/// CryptoKit, no part of BoringSSL is built, and they use CommonCrypto.
enum PlatformCiphers {
    /// The length of a block and of an initialization vector in bytes.
    static let blockLength = 16

    #if os(Linux)
        /// Encrypts one block. Returns `nil` if the library fails.
        static func encrypt(_ block: [UInt8], key: SymmetricKey) -> [UInt8]? {
            var bytes = block
            return (try? AES.permute(&bytes, key: key)) == nil ? nil : bytes
        }

        /// Decrypts one block. Returns `nil` if the library fails.
        static func decrypt(_ block: [UInt8], key: SymmetricKey) -> [UInt8]? {
            var bytes = block
            return (try? AES.inversePermute(&bytes, key: key)) == nil ? nil : bytes
        }

        /// Returns the code of AES-CMAC (RFC 4493). Returns `nil` if the library fails.
        static func authenticationCode(of message: [UInt8], key: SymmetricKey) -> [UInt8]? {
            guard var code = try? AES.CMAC(key: key) else { return nil }
            code.update(data: message)
            return Array(code.finalize())
        }

        /// Encrypts whole blocks in CBC mode. Returns `nil` if the library fails.
        static func encryptChain(
            _ blocks: [UInt8],
            key: SymmetricKey,
            iv: [UInt8]
        ) -> [UInt8]? {
            guard let iv = try? AES._CBC.IV(ivBytes: iv),
                let bytes = try? AES._CBC.encrypt(blocks, using: key, iv: iv, noPadding: true)
            else { return nil }
            return Array(bytes)
        }

        /// Decrypts whole blocks in CBC mode. Returns `nil` if the library fails.
        static func decryptChain(
            _ blocks: [UInt8],
            key: SymmetricKey,
            iv: [UInt8]
        ) -> [UInt8]? {
            guard let iv = try? AES._CBC.IV(ivBytes: iv),
                let bytes = try? AES._CBC.decrypt(blocks, using: key, iv: iv, noPadding: true)
            else { return nil }
            return Array(bytes)
        }

        /// Derives a key with PBKDF2 and HMAC-SHA-256. Returns `nil` if the library fails.
        static func deriveKey(
            passphrase: [UInt8],
            salt: [UInt8],
            rounds: Int,
            length: Int
        ) -> SymmetricKey? {
            try? KDF.Insecure.PBKDF2.deriveKey(
                from: passphrase,
                salt: salt,
                using: .sha256,
                outputByteCount: length,
                rounds: rounds
            )
        }
    #else
        static func encrypt(_ block: [UInt8], key: SymmetricKey) -> [UInt8]? {
            crypt(kCCEncrypt, kCCOptionECBMode, block, key: key, iv: nil)
        }

        static func decrypt(_ block: [UInt8], key: SymmetricKey) -> [UInt8]? {
            crypt(kCCDecrypt, kCCOptionECBMode, block, key: key, iv: nil)
        }

        static func authenticationCode(of message: [UInt8], key: SymmetricKey) -> [UInt8]? {
            CMAC.code(of: message) { encrypt($0, key: key) }
        }

        static func encryptChain(
            _ blocks: [UInt8],
            key: SymmetricKey,
            iv: [UInt8]
        ) -> [UInt8]? {
            crypt(kCCEncrypt, 0, blocks, key: key, iv: iv)
        }

        static func decryptChain(
            _ blocks: [UInt8],
            key: SymmetricKey,
            iv: [UInt8]
        ) -> [UInt8]? {
            crypt(kCCDecrypt, 0, blocks, key: key, iv: iv)
        }

        static func deriveKey(
            passphrase: [UInt8],
            salt: [UInt8],
            rounds: Int,
            length: Int
        ) -> SymmetricKey? {
            var bytes = [UInt8](repeating: 0, count: length)
            let status = CCKeyDerivationPBKDF(
                CCPBKDFAlgorithm(kCCPBKDF2),
                passphrase.map { CChar(bitPattern: $0) },
                passphrase.count,
                salt,
                salt.count,
                CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256),
                UInt32(clamping: rounds),
                &bytes,
                length
            )
            return Int(status) == kCCSuccess ? SymmetricKey(data: bytes) : nil
        }

        /// Encrypts or decrypts whole blocks without padding.
        private static func crypt(
            _ operation: Int,
            _ options: Int,
            _ blocks: [UInt8],
            key: SymmetricKey,
            iv: [UInt8]?
        ) -> [UInt8]? {
            let length = blocks.count
            var bytes = [UInt8](repeating: 0, count: length)
            var moved = 0
            let status = key.withUnsafeBytes { key in
                CCCrypt(
                    CCOperation(operation),
                    CCAlgorithm(kCCAlgorithmAES),
                    CCOptions(options),
                    key.baseAddress,
                    key.count,
                    iv,
                    blocks,
                    length,
                    &bytes,
                    length,
                    &moved
                )
            }
            return Int(status) == kCCSuccess && moved == length ? bytes : nil
        }
    #endif
}
