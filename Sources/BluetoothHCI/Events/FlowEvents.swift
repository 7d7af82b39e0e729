// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The completion or refusal of a command (Vol 4, Part E, 7.7.14).
    package struct CommandComplete: HCIParameters {
        /// The number of commands that the host may send now.
        package var allowedPackets: UInt8
        package var opcode: Opcode
        /// The return parameters, which begin with the status for all but a few commands.
        package var returnParameters: ArraySlice<UInt8>

        package init(allowedPackets: UInt8, opcode: Opcode, returnParameters: ArraySlice<UInt8>) {
            self.allowedPackets = allowedPackets
            self.opcode = opcode
            self.returnParameters = returnParameters
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            allowedPackets = try reader.decode()
            opcode = try reader.decode()
            returnParameters = reader.readRemaining()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(allowedPackets, opcode)
            writer.write(contentsOf: returnParameters)
        }
    }

    /// The start or refusal of a command (Vol 4, Part E, 7.7.15).
    package struct CommandStatus: HCIParameters {
        package var status: ErrorCode
        /// The number of commands that the host may send now.
        package var allowedPackets: UInt8
        package var opcode: Opcode

        package init(status: ErrorCode, allowedPackets: UInt8, opcode: Opcode) {
            self.status = status
            self.allowedPackets = allowedPackets
            self.opcode = opcode
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            allowedPackets = try reader.decode()
            opcode = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(status, allowedPackets, opcode)
        }
    }

    /// A failure of the controller's hardware (Vol 4, Part E, 7.7.16).
    package struct HardwareError: HCIParameters {
        /// A code whose meaning the manufacturer defines.
        package var code: UInt8

        package init(code: UInt8) {
            self.code = code
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            code = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(code)
        }
    }

    /// The number of packets of one link that left a buffer: the controller's buffers in an event,
    /// the host's buffers in a command (Vol 4, Part E, 7.7.19 and 7.3.40).
    package struct CompletedPackets: HCIParameters {
        static let encodedLength = 4

        package var connectionHandle: ConnectionHandle
        package var count: UInt16

        package init(connectionHandle: ConnectionHandle, count: UInt16) {
            self.connectionHandle = connectionHandle
            self.count = count
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            count = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connectionHandle, count)
        }
    }

    /// The numbers of buffers that the controller freed (Vol 4, Part E, 7.7.19).
    package struct NumberOfCompletedPackets: HCIParameters {
        package var completed: [CompletedPackets]

        package init(completed: [CompletedPackets]) {
            self.completed = completed
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            completed = try reader.decodeCountedValues()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encodeCountedValues(completed)
        }

        /// The entries of encoded parameters. They are decoded one by one, without an array of them,
        /// because the event can be as frequent as data packets.
        package struct Entries: Sequence, IteratorProtocol {
            private var reader: ByteReader

            /// Checks the parameters.
            ///
            /// - Throws: ``MalformedBytes`` if they do not have the required form.
            package init(of parameters: ArraySlice<UInt8>) throws(MalformedBytes) {
                reader = ByteReader(parameters)
                let count = Int(try reader.readUInt8())
                let needed = count * CompletedPackets.encodedLength
                guard reader.remaining == needed else {
                    throw reader.remaining < needed
                        ? .truncated(needed: needed, available: reader.remaining)
                        : .trailing(count: reader.remaining - needed)
                }
            }

            package mutating func next() -> CompletedPackets? {
                reader.isAtEnd ? nil : try? reader.decode()
            }
        }
    }

    /// An overflow of the controller's buffers, because the host sent too much data (Vol 4, Part E,
    /// 7.7.26).
    package struct DataBufferOverflow: HCIParameters {
        package var linkType: UInt8

        package init(linkType: UInt8) {
            self.linkType = linkType
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            linkType = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(linkType)
        }
    }
}
