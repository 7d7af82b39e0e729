// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// Asks for several values of lengths that the client knows (Vol 3, Part F, 3.4.4.7).
    package struct ReadMultipleRequest: SeveralHandles {
        package static let opcode = Opcode.readMultipleRequest

        package let handles: [AttributeHandle]

        /// Makes a request for two handles or more.
        package init(handles: [AttributeHandle]) {
            precondition(handles.count >= 2, "one value is read with a Read Request")
            self.handles = handles
        }
    }

    /// The values, one after the other with nothing between them (Vol 3, Part F, 3.4.4.8).
    package struct ReadMultipleResponse: Parameters {
        package static let opcode = Opcode.readMultipleResponse

        package var values: ArraySlice<UInt8>

        package init(values: ArraySlice<UInt8>) {
            self.values = values
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            values = reader.readRemaining()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(contentsOf: values)
        }

        package var encodedLength: Int { values.count }
    }

    /// Asks for several values of any length (Vol 3, Part F, 3.4.4.11).
    package struct ReadMultipleVariableRequest: SeveralHandles {
        package static let opcode = Opcode.readMultipleVariableRequest

        package let handles: [AttributeHandle]

        /// Makes a request for two handles or more.
        package init(handles: [AttributeHandle]) {
            precondition(handles.count >= 2, "one value is read with a Read Request")
            self.handles = handles
        }
    }
}
