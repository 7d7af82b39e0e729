// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// The part of a PDU after the opcode (Vol 3, Part F, 3.3.1).
    package protocol Parameters: Equatable, Sendable {
        /// The opcode of the PDU with these parameters.
        static var opcode: Opcode { get }

        /// Decodes the parameters and leaves any bytes after them unread.
        init(from reader: inout ByteReader) throws(MalformedBytes)

        /// Appends the encoded parameters, without the opcode.
        func encode(into writer: inout ByteWriter)

        /// The number of bytes that `encode(into:)` appends.
        var encodedLength: Int { get }
    }
}

extension ATT.Parameters {
    /// Decodes the complete parameters of a PDU.
    init(parsing bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    /// Encodes the PDU: the opcode and these parameters.
    package func encode() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 1 + encodedLength)
        writer.write(Self.opcode.rawValue)
        encode(into: &writer)
        return writer.bytes
    }
}
