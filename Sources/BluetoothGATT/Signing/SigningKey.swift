// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothCrypto
import BluetoothTypes

/// A key for signed write commands, which need no encrypted link (Vol 3, Part H, 2.4.5). It is the
/// key of a bonded client, which verifies the client's commands, or the local key, which signs.
package struct SigningKey: Equatable, Sendable {
    /// The Connection Signature Resolving Key: 16 bytes, most significant byte first.
    package let key: [UInt8]

    /// The counter of the last command with a valid signature, or `nil` before the first one.
    package internal(set) var lastCounter: UInt32?

    /// Creates a key.
    package init(key: [UInt8], lastCounter: UInt32? = nil) {
        self.key = key
        self.lastCounter = lastCounter
    }

    /// Returns the signature of a PDU in transmission order: the counter, and the most significant
    /// half of the message authentication code. In both, the least significant byte is first
    /// (Vol 3, Part C, 10.4.1).
    ///
    /// - Parameters:
    ///   - pdu: The opcode and all parameters except the signature.
    ///   - counter: The counter of the command.
    /// - Returns: The signature, or `nil` if the key does not have 16 bytes.
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

    /// Returns whether the signature is valid and its counter is new, and records the counter if
    /// so.
    package mutating func accept(_ command: ATT.SignedWriteCommand) -> Bool {
        guard hasNewCounter(command), let counter = command.counter,
            let expected = signature(of: command.signedBytes, counter: counter),
            expected.isEqualInConstantTime(to: command.signature)
        else { return false }
        lastCounter = counter
        return true
    }

    /// Returns whether the counter of a command is greater than that of the last valid one.
    func hasNewCounter(_ command: ATT.SignedWriteCommand) -> Bool {
        guard let counter = command.counter else { return false }
        return lastCounter.map { counter > $0 } ?? true
    }
}

extension ATT.SignedWriteCommand {
    /// The signed bytes of the command.
    package var signedBytes: [UInt8] {
        Array(encode().dropLast(Self.signatureLength))
    }

    /// The counter at the beginning of the signature.
    fileprivate var counter: UInt32? {
        var reader = ByteReader(signature)
        return try? reader.readUInt32()
    }
}

extension [UInt8] {
    /// Compares bytes in constant time, so that the duration does not disclose the position of the
    /// first difference.
    fileprivate func isEqualInConstantTime(to other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
