// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A command: its opcode, its parameters and its return parameters.
///
/// A command type conforms to ``CommandCompleteCommand`` or ``CommandStatusCommand``, which state
/// how the controller answers. The only exception is `HostNumberOfCompletedPackets`, which the
/// controller answers only with errors.
package protocol HCICommand: HCIParameters {
    static var opcode: HCI.Opcode { get }
}

/// A command that the controller answers with Command Complete when it is done (Vol 4, Part E,
/// 7.7.14).
package protocol CommandCompleteCommand: HCICommand {
    /// The content of the answer after the status.
    associatedtype ReturnParameters: HCIReturnParameters = HCI.NoReturnParameters
}

/// A command that the controller answers with Command Status when it begins.
///
/// A separate event reports the result (Vol 4, Part E, 7.7.15).
package protocol CommandStatusCommand: HCICommand {}

/// The content of a Command Complete event after the status byte.
package protocol HCIReturnParameters: HCIParameters {}

/// Empty parameters, of a command without parameters or of an answer without return parameters.
package protocol EmptyParameters: HCIParameters {
    init()
}

extension EmptyParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) { self.init() }

    package func encodeParameters(into writer: inout ByteWriter) {}
}

/// Parameters that consist of a connection handle only.
package protocol ConnectionHandleParameters: HCIParameters {
    var connectionHandle: ConnectionHandle { get }

    init(connectionHandle: ConnectionHandle)
}

extension ConnectionHandleParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(connectionHandle: try reader.decode())
    }

    package func encodeParameters(into writer: inout ByteWriter) {
        writer.encode(connectionHandle)
    }
}

extension HCI {
    /// The return parameters of an answer that contains only the status.
    package struct NoReturnParameters: HCIReturnParameters, EmptyParameters {
        package init() {}
    }

    /// The return parameters of an answer that contains only the command's connection handle.
    package struct LinkReturnParameters: HCIReturnParameters, ConnectionHandleParameters {
        package var connectionHandle: ConnectionHandle

        package init(connectionHandle: ConnectionHandle) {
            self.connectionHandle = connectionHandle
        }
    }

    /// An encoded command with the information that the command queue needs.
    package struct EncodedCommand: Sendable, Equatable {
        package let opcode: Opcode
        package let parameters: [UInt8]
        /// Whether the controller answers with Command Status instead of Command Complete.
        package let isCompletedByStatus: Bool

        package init(_ command: some HCICommand) {
            opcode = type(of: command).opcode
            parameters = command.encodedParameters
            isCompletedByStatus = command is any CommandStatusCommand
        }

        /// The command as an H4 packet: type byte, opcode, length, parameters (Vol 4, Part E,
        /// 5.4.1).
        package var h4Packet: [UInt8] {
            Packet.command(opcode: opcode, parameters: parameters[...]).h4Bytes
        }
    }
}
