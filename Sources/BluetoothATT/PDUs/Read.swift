// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// A request for the value of an attribute (Vol 3, Part F, 3.4.4.3).
    package struct ReadRequest: Parameters {
        package static let opcode = Opcode.readRequest

        package var handle: AttributeHandle

        package init(handle: AttributeHandle) {
            self.handle = handle
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            handle = try reader.readAttributeHandle()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(handle)
        }

        package var encodedLength: Int { 2 }
    }

    /// A response with the value, or with its first MTU - 1 bytes if it is longer (Vol 3, Part F,
    /// 3.4.4.4).
    package struct ReadResponse: ValueAlone {
        package static let opcode = Opcode.readResponse

        package var value: ArraySlice<UInt8>

        package init(value: ArraySlice<UInt8>) {
            self.value = value
        }
    }

    /// A request for the part of a value that starts at an offset (Vol 3, Part F, 3.4.4.5).
    package struct ReadBlobRequest: Parameters {
        package static let opcode = Opcode.readBlobRequest

        package var handle: AttributeHandle
        /// The offset from the start of the value, in bytes.
        package var offset: UInt16

        package init(handle: AttributeHandle, offset: UInt16) {
            self.handle = handle
            self.offset = offset
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            handle = try reader.readAttributeHandle()
            offset = try reader.readUInt16()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(offset)
        }

        package var encodedLength: Int { 4 }
    }

    /// A response with the requested part of the value, or with the first MTU - 1 bytes of this
    /// part if it is longer. The response is empty if the offset is the end of the value (Vol 3,
    /// Part F, 3.4.4.6).
    package struct ReadBlobResponse: ValueAlone {
        package static let opcode = Opcode.readBlobResponse

        package var value: ArraySlice<UInt8>

        package init(value: ArraySlice<UInt8>) {
            self.value = value
        }
    }
}
