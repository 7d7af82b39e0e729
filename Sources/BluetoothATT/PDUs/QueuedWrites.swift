// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// A request to add a part of a value to the prepared writes that the server stores for this
    /// client (Vol 3, Part F, 3.4.6.1).
    package struct PrepareWriteRequest: PartOfValue {
        package static let opcode = Opcode.prepareWriteRequest

        package var handle: AttributeHandle
        /// The offset from the start of the value, in bytes.
        package var offset: UInt16
        package var value: ArraySlice<UInt8>

        package init(handle: AttributeHandle, offset: UInt16, value: ArraySlice<UInt8>) {
            self.handle = handle
            self.offset = offset
            self.value = value
        }
    }

    /// A response with the part that the server stored, so that the client can compare it with the
    /// part that it sent (Vol 3, Part F, 3.4.6.2).
    package struct PrepareWriteResponse: PartOfValue {
        package static let opcode = Opcode.prepareWriteResponse

        package var handle: AttributeHandle
        package var offset: UInt16
        package var value: ArraySlice<UInt8>

        package init(handle: AttributeHandle, offset: UInt16, value: ArraySlice<UInt8>) {
            self.handle = handle
            self.offset = offset
            self.value = value
        }
    }

    /// A request to execute or cancel all prepared writes of this client (Vol 3, Part F, 3.4.6.3).
    /// The Execute Write Response has no parameters.
    package struct ExecuteWriteRequest: Parameters {
        package static let opcode = Opcode.executeWriteRequest

        /// The instruction for the prepared writes.
        package enum Flags: UInt8, Sendable {
            case cancelAll = 0x00
            case writeAll = 0x01
        }

        package var flags: Flags

        package init(flags: Flags) {
            self.flags = flags
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            guard let flags = Flags(rawValue: try reader.readUInt8()) else {
                throw .invalid(field: "flags")
            }
            self.flags = flags
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(flags.rawValue)
        }

        package var encodedLength: Int { 1 }
    }
}
