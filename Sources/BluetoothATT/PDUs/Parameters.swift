// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// What follows the opcode of one kind of PDU (Vol 3, Part F, 3.3.1).
    package protocol Parameters: Equatable, Sendable {
        /// The kind of PDU that these are the parameters of.
        static var opcode: Opcode { get }

        /// Reads the parameters. What is left in the reader afterwards was not part of the PDU.
        init(from reader: inout ByteReader) throws(MalformedBytes)

        /// Appends the parameters, without the opcode.
        func encode(into writer: inout ByteWriter)

        /// The number of octets that `encode(into:)` appends.
        var encodedLength: Int { get }
    }
}

extension ATT.Parameters {
    /// Reads the parameters of a whole PDU, all of them.
    init(parsing bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    /// The PDU as it travels: the opcode and these parameters.
    package func encode() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 1 + encodedLength)
        writer.write(Self.opcode.rawValue)
        encode(into: &writer)
        return writer.bytes
    }
}
