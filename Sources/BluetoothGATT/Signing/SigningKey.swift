// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothCrypto
import BluetoothTypes

/// What commands are signed with, where the link is not encrypted: a bonded client's, to check them,
/// or our own (Vol 3, Part H, 2.4.5).
package struct SigningKey: Equatable, Sendable {
    /// The Connection Signature Resolving Key: 16 octets, most significant first.
    package let key: [UInt8]

    /// The counter of the last command whose signature was good; nil before the first.
    package internal(set) var lastCounter: UInt32?

    /// Makes a key.
    package init(key: [UInt8], lastCounter: UInt32? = nil) {
        self.key = key
        self.lastCounter = lastCounter
    }

    /// The signature of a PDU as it travels: the counter, and half of the code, least significant
    /// octets first (Vol 3, Part C, 10.4.1). Nil if the key has not 16 octets.
    ///
    /// - Parameter pdu: Opcode and all parameters but the signature.
    package func signature(of pdu: [UInt8], counter: UInt32) -> [UInt8]? {
        var signed = ByteWriter(reservingCapacity: pdu.count + 4)
        signed.write(contentsOf: pdu)
        signed.write(counter)
        let code = AES128(key: key)?.authenticationCode(of: signed.bytes.reversed())
        guard let code else { return nil }
        var signature = ByteWriter(reservingCapacity: ATT.SignedWriteCommand.signatureLength)
        signature.write(counter)
        signature.write(contentsOf: code.prefix(8).reversed())
        return signature.bytes
    }

    /// Whether the signature is good and newer than any before, which then is the last one.
    package mutating func accept(_ command: ATT.SignedWriteCommand) -> Bool {
        var reader = ByteReader(command.signature)
        guard let counter = try? reader.readUInt32(),
            lastCounter.map({ counter > $0 }) ?? true,
            let expected = signature(of: command.signedOctets, counter: counter),
            expected.isEqualInConstantTime(to: command.signature)
        else { return false }
        lastCounter = counter
        return true
    }
}

extension ATT.SignedWriteCommand {
    /// What the signature is of.
    package var signedOctets: [UInt8] {
        Array(encode().dropLast(Self.signatureLength))
    }
}

extension [UInt8] {
    /// Compares without telling by the time it takes where the first difference is.
    fileprivate func isEqualInConstantTime(to other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
