// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// A client's request to exchange the maximum lengths of PDUs that both sides receive (Vol 3,
    /// Part F, 3.4.2.1).
    package struct ExchangeMTURequest: Parameters {
        package static let opcode = Opcode.exchangeMTURequest

        /// The maximum length that the client receives, in bytes. A value below 23 is not allowed
        /// but decodes, and the bearer treats it as 23.
        package var receiveMTU: UInt16

        package init(receiveMTU: UInt16) {
            self.receiveMTU = receiveMTU
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            receiveMTU = try reader.readUInt16()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(receiveMTU)
        }

        package var encodedLength: Int { 2 }
    }

    /// The server's response with the maximum length of a PDU that it receives (Vol 3, Part F,
    /// 3.4.2.2).
    package struct ExchangeMTUResponse: Parameters {
        package static let opcode = Opcode.exchangeMTUResponse

        /// The maximum length that the server receives, in bytes.
        package var receiveMTU: UInt16

        package init(receiveMTU: UInt16) {
            self.receiveMTU = receiveMTU
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            receiveMTU = try reader.readUInt16()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(receiveMTU)
        }

        package var encodedLength: Int { 2 }
    }
}
