// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension Signaling {
    /// A command with a decoded header and undecoded parameters, which is sufficient for rejecting
    /// it.
    ///
    /// On LE, a frame carries one command (Vol 3, Part A, 4).
    package struct Packet: Equatable, Sendable {
        package let code: Code
        package let identifier: Identifier
        package let parameters: ArraySlice<UInt8>

        /// Creates a command. The identifier must not be zero.
        package init(code: Code, identifier: Identifier, parameters: ArraySlice<UInt8>) {
            precondition(identifier != 0, "a command identifier must not be 0")
            self.code = code
            self.identifier = identifier
            self.parameters = parameters
        }

        /// Decodes the complete payload of a frame.
        package init(parsing payload: ArraySlice<UInt8>) throws(MalformedBytes) {
            var reader = ByteReader(payload)
            code = Code(rawValue: try reader.readUInt8())
            identifier = try reader.readUInt8()
            guard identifier != 0 else { throw .invalid(field: "identifier") }
            parameters = try reader.readBytes(Int(try reader.readUInt16()))
            try reader.finish()
        }

        /// Returns the payload of the frame that carries this command.
        package func encode() -> [UInt8] {
            var writer = ByteWriter(reservingCapacity: headerLength + parameters.count)
            writer.write(code.rawValue)
            writer.write(identifier)
            writer.write(UInt16(parameters.count))
            writer.write(contentsOf: parameters)
            return writer.bytes
        }
    }

    /// The parameters of one kind of command.
    package protocol Parameters: Equatable, Sendable {
        static var code: Code { get }

        init(from reader: inout ByteReader) throws(MalformedBytes)

        func encode(into writer: inout ByteWriter)
    }
}

extension Signaling.Parameters {
    /// Decodes the complete parameters of a command.
    package init(parsing bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    /// Returns the payload of the frame that carries a command with these parameters.
    package func encode(identifier: Signaling.Identifier) -> [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return Signaling.Packet(
            code: Self.code,
            identifier: identifier,
            parameters: writer.bytes[...]
        ).encode()
    }
}
