// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// A server's refusal of a request (Vol 3, Part F, 3.4.1.1).
    package struct ErrorResponse: Parameters {
        package static let opcode = Opcode.errorResponse

        /// The refused request.
        package var requestOpcode: Opcode
        /// The attribute that caused the error, or `invalid` if there is none.
        package var handle: AttributeHandle
        package var code: ErrorCode

        package init(requestOpcode: Opcode, handle: AttributeHandle, code: ErrorCode) {
            self.requestOpcode = requestOpcode
            self.handle = handle
            self.code = code
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            requestOpcode = Opcode(rawValue: try reader.readUInt8())
            handle = try reader.readAttributeHandle()
            code = ErrorCode(rawValue: try reader.readUInt8())
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(requestOpcode.rawValue)
            writer.write(handle)
            writer.write(code.rawValue)
        }

        package var encodedLength: Int { 4 }
    }
}
