// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothHCI
import BluetoothTypes

extension SMP {
    /// The cryptographic functions of pairing, with the names of the specification (Vol 3, Part H,
    /// 2.2).
    ///
    /// Arguments and results are in transmission order, least significant byte first. The
    /// specification and the algorithms use the opposite order.
    package enum Toolbox {}
}

extension SMP.Toolbox {
    /// Encrypts one block with AES-128, which is the security function e (Vol 3, Part H, 2.2.1).
    static func e(_ key: HCI.Key128, _ block: [UInt8]) -> SMP.Value128 {
        value(AES128(key: key.bytes.reversed())?.encrypt(block.reversed()))
    }

    /// Computes AES-CMAC of a message in the specification's order, most significant byte first
    /// (Vol 3, Part H, 2.2.5).
    static func authenticationCode(_ key: [UInt8], _ message: [UInt8]) -> SMP.Value128 {
        value(AES128(key: key)?.authenticationCode(of: message))
    }

    /// Converts the cipher's output to transmission order. AES fails only for keys and blocks
    /// without 16 bytes, which the types of the arguments exclude, whatever a peer sends.
    private static func value(_ bytes: [UInt8]?) -> SMP.Value128 {
        guard let bytes, let value = SMP.Value128(bytes.reversed()) else {
            preconditionFailure("AES-128 failed for a key and a block of 16 bytes")
        }
        return value
    }
}

extension HCI.Key128 {
    /// Creates a key from the bytes of a value.
    init(_ value: SMP.Value128) {
        guard let key = HCI.Key128(value.bytes) else {
            preconditionFailure("a value of 128 bits has 16 bytes, as a key has")
        }
        self = key
    }
}

extension FixedBytes {
    /// The bytes, most significant byte first.
    var bigEndian: [UInt8] { bytes.reversed() }
}
