// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// Asks for several values of lengths that the client knows (Vol 3, Part F, 3.4.4.7).
    package struct ReadMultipleRequest: Parameters {
        package static let opcode = Opcode.readMultipleRequest

        package let handles: [AttributeHandle]

        /// Makes a request for two handles or more.
        package init(handles: [AttributeHandle]) {
            precondition(handles.count >= 2, "one value is read with a Read Request")
            self.handles = handles
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            handles = try reader.readTwoOrMoreHandles()
        }

        package func encode(into writer: inout ByteWriter) {
            for handle in handles { writer.write(handle) }
        }

        package var encodedLength: Int { 2 * handles.count }
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
    package struct ReadMultipleVariableRequest: Parameters {
        package static let opcode = Opcode.readMultipleVariableRequest

        package let handles: [AttributeHandle]

        /// Makes a request for two handles or more.
        package init(handles: [AttributeHandle]) {
            precondition(handles.count >= 2, "one value is read with a Read Request")
            self.handles = handles
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            handles = try reader.readTwoOrMoreHandles()
        }

        package func encode(into writer: inout ByteWriter) {
            for handle in handles { writer.write(handle) }
        }

        package var encodedLength: Int { 2 * handles.count }
    }
}

extension ByteReader {
    /// Reads all that is left as handles, of which there must be two.
    fileprivate mutating func readTwoOrMoreHandles() throws(MalformedBytes) -> [AttributeHandle] {
        guard remaining >= 4 else { throw .truncated(needed: 4, available: remaining) }
        var handles: [AttributeHandle] = []
        handles.reserveCapacity(remaining / 2)
        while !isAtEnd { handles.append(try readAttributeHandle()) }
        return handles
    }
}
