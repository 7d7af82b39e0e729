// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// A request to write a value (Vol 3, Part F, 3.4.5.1). The Write Response has no parameters.
    package struct WriteRequest: HandleAndValue {
        package static let opcode = Opcode.writeRequest

        package var handle: AttributeHandle
        package var value: ArraySlice<UInt8>

        package init(handle: AttributeHandle, value: ArraySlice<UInt8>) {
            self.handle = handle
            self.value = value
        }
    }

    /// A command to write a value. The server sends no response, whether the write succeeds or
    /// fails (Vol 3, Part F, 3.4.5.3).
    package struct WriteCommand: HandleAndValue {
        package static let opcode = Opcode.writeCommand

        package var handle: AttributeHandle
        package var value: ArraySlice<UInt8>

        package init(handle: AttributeHandle, value: ArraySlice<UInt8>) {
            self.handle = handle
            self.value = value
        }
    }

    /// A Write Command with a signature, which authenticates the write on a link that is not
    /// encrypted (Vol 3, Part F, 3.4.5.4).
    package struct SignedWriteCommand: Parameters {
        package static let opcode = Opcode.signedWriteCommand

        /// The length of a signature in bytes: a counter and a message authentication code (Vol 3,
        /// Part F, 3.3.1).
        package static let signatureLength = 12

        package let handle: AttributeHandle
        package let value: ArraySlice<UInt8>
        package let signature: ArraySlice<UInt8>

        /// Creates a command. The signature must have `signatureLength` bytes.
        package init(
            handle: AttributeHandle,
            value: ArraySlice<UInt8>,
            signature: ArraySlice<UInt8>
        ) {
            precondition(signature.count == Self.signatureLength, "a signature has 12 bytes")
            self.handle = handle
            self.value = value
            self.signature = signature
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            handle = try reader.readAttributeHandle()
            guard reader.remaining >= Self.signatureLength else {
                throw .truncated(needed: Self.signatureLength, available: reader.remaining)
            }
            value = try reader.readBytes(reader.remaining - Self.signatureLength)
            signature = reader.readRemaining()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(contentsOf: value)
            writer.write(contentsOf: signature)
        }

        package var encodedLength: Int { 2 + value.count + signature.count }
    }
}
