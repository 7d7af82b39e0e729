// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// Writes a value, and asks to be told that it was written (Vol 3, Part F, 3.4.5.1). The
    /// Write Response that answers it has no parameters.
    package struct WriteRequest: HandleAndValue {
        package static let opcode = Opcode.writeRequest

        package var handle: AttributeHandle
        package var value: ArraySlice<UInt8>

        package init(handle: AttributeHandle, value: ArraySlice<UInt8>) {
            self.handle = handle
            self.value = value
        }
    }

    /// Writes a value; the server answers nothing, whatever becomes of it
    /// (Vol 3, Part F, 3.4.5.3).
    package struct WriteCommand: HandleAndValue {
        package static let opcode = Opcode.writeCommand

        package var handle: AttributeHandle
        package var value: ArraySlice<UInt8>

        package init(handle: AttributeHandle, value: ArraySlice<UInt8>) {
            self.handle = handle
            self.value = value
        }
    }

    /// A Write Command with a signature instead of an encrypted link (Vol 3, Part F, 3.4.5.4).
    package struct SignedWriteCommand: Parameters {
        package static let opcode = Opcode.signedWriteCommand

        /// The octets of a signature: a counter and a message authentication code
        /// (Vol 3, Part F, 3.3.1).
        package static let signatureLength = 12

        package let handle: AttributeHandle
        package let value: ArraySlice<UInt8>
        package let signature: ArraySlice<UInt8>

        /// Makes a command; the signature must have `signatureLength` octets.
        package init(
            handle: AttributeHandle,
            value: ArraySlice<UInt8>,
            signature: ArraySlice<UInt8>
        ) {
            precondition(signature.count == Self.signatureLength, "a signature has twelve octets")
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
