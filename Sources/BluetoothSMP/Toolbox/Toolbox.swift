// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothHCI
import BluetoothTypes

extension SMP {
    /// The cryptographic functions of pairing, by the names that the specification gives them
    /// (Vol 3, Part H, 2.2).
    ///
    /// Every argument and every result is as it travels: least significant octet first. The
    /// specification writes them, and the algorithms take them, the other way round; they are turned
    /// here and nowhere else.
    package enum Toolbox {}
}

extension SMP.Toolbox {
    /// The security function e: one block of AES-128 (Vol 3, Part H, 2.2.1).
    static func e(_ key: HCI.Key128, _ block: [UInt8]) -> SMP.Value128 {
        value(AES128(key: key.bytes.reversed())?.encrypt(block.reversed()))
    }

    /// AES-CMAC of a message that is written as the specification writes it, most significant octet
    /// first (Vol 3, Part H, 2.2.5).
    static func authenticationCode(_ key: [UInt8], _ message: [UInt8]) -> SMP.Value128 {
        value(AES128(key: key)?.authenticationCode(of: message))
    }

    /// Turns what the cipher has made. AES fails for keys and blocks that are not of 16 octets, and
    /// for nothing else; the types of the arguments leave no others, whatever a peer sends.
    private static func value(_ octets: [UInt8]?) -> SMP.Value128 {
        guard let octets, let value = SMP.Value128(octets.reversed()) else {
            preconditionFailure("AES-128 failed for a key and a block of 16 octets")
        }
        return value
    }
}

extension HCI.Key128 {
    /// The same octets, as a key.
    init(_ value: SMP.Value128) {
        guard let key = HCI.Key128(value.bytes) else {
            preconditionFailure("a value of 128 bits has 16 octets, as a key has")
        }
        self = key
    }
}

extension FixedBytes {
    /// Most significant first.
    var bigEndian: [UInt8] { bytes.reversed() }
}
