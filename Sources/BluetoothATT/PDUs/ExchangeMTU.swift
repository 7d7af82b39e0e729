// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// The client tells the longest PDU that it can receive, and asks for the server's
    /// (Vol 3, Part F, 3.4.2.1).
    package struct ExchangeMTURequest: Parameters {
        package static let opcode = Opcode.exchangeMTURequest

        /// What the client can receive, in octets. Less than 23 is against the rules, and decodes:
        /// the bearer takes it for 23.
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

    /// The server tells the longest PDU that it can receive (Vol 3, Part F, 3.4.2.2).
    package struct ExchangeMTUResponse: Parameters {
        package static let opcode = Opcode.exchangeMTUResponse

        /// What the server can receive, in octets.
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
