// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A command: its number, and its parameters in both directions.
///
/// Use one of the two protocols that say how it ends.
package protocol HCICommand: HCIParameters {
    static var opcode: HCI.Opcode { get }
}

/// A command that the controller answers when it is done, with Command Complete
/// (Vol 4, Part E, 7.7.14).
package protocol CommandCompleteCommand: HCICommand {
    /// What the answer holds after the status.
    associatedtype ReturnParameters: HCIReturnParameters = HCI.NoReturnParameters
}

/// A command that the controller answers when it begins, with Command Status; an event of its own
/// tells how it ended (Vol 4, Part E, 7.7.15).
package protocol CommandStatusCommand: HCICommand {}

/// What a Command Complete event holds after the status octet.
package protocol HCIReturnParameters: HCIParameters {}

/// Parameters that are not there: of a command without any, or of a bare answer.
package protocol EmptyParameters: HCIParameters {
    init()
}

extension EmptyParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) { self.init() }

    package func encodeParameters(into writer: inout ByteWriter) {}
}

/// Parameters that name a link and say nothing else.
package protocol NamesLink: HCIParameters {
    var connectionHandle: ConnectionHandle { get }

    init(connectionHandle: ConnectionHandle)
}

extension NamesLink {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(connectionHandle: try reader.decode())
    }

    package func encodeParameters(into writer: inout ByteWriter) {
        writer.encode(connectionHandle)
    }
}

extension HCI {
    /// The answer is the status and nothing else.
    package struct NoReturnParameters: HCIReturnParameters, EmptyParameters {
        package init() {}
    }

    /// The answer names the link that the command was about.
    package struct LinkReturnParameters: HCIReturnParameters, NamesLink {
        package var connectionHandle: ConnectionHandle

        package init(connectionHandle: ConnectionHandle) {
            self.connectionHandle = connectionHandle
        }
    }

    /// A command ready to be sent, with what a queue needs to know of it.
    package struct EncodedCommand: Sendable, Equatable {
        package let opcode: Opcode
        package let parameters: [UInt8]
        /// Whether Command Status ends it, and not Command Complete.
        package let isCompletedByStatus: Bool

        package init(_ command: some HCICommand) {
            opcode = type(of: command).opcode
            parameters = command.encodedParameters
            isCompletedByStatus = command is any CommandStatusCommand
        }

        /// The command as an H4 packet: type octet, opcode, length, parameters
        /// (Vol 4, Part E, 5.4.1).
        package var h4Packet: [UInt8] {
            Packet.command(opcode: opcode, parameters: parameters[...]).h4Bytes
        }
    }
}
