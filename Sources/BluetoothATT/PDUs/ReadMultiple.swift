// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// A request for several values. The client must know their lengths, because the response does
    /// not contain them (Vol 3, Part F, 3.4.4.7).
    package struct ReadMultipleRequest: SeveralHandles {
        package static let opcode = Opcode.readMultipleRequest

        package let handles: [AttributeHandle]

        /// Creates a request for two or more handles.
        package init(handles: [AttributeHandle]) {
            precondition(handles.count >= 2, "a request needs at least two handles")
            self.handles = handles
        }
    }

    /// A response with the values, concatenated without separators (Vol 3, Part F, 3.4.4.8).
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

    /// A request for several values. The response contains their lengths (Vol 3, Part F, 3.4.4.11).
    package struct ReadMultipleVariableRequest: SeveralHandles {
        package static let opcode = Opcode.readMultipleVariableRequest

        package let handles: [AttributeHandle]

        /// Creates a request for two or more handles.
        package init(handles: [AttributeHandle]) {
            precondition(handles.count >= 2, "a request needs at least two handles")
            self.handles = handles
        }
    }
}
