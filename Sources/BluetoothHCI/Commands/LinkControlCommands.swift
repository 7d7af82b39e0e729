// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that ends a link. Disconnection Complete reports the end (Vol 4, Part E, 7.1.6).
    package struct Disconnect: CommandStatusCommand {
        package static let opcode = Opcode.disconnect

        package var connectionHandle: ConnectionHandle
        /// The reason that the peer receives.
        package var reason: ErrorCode

        package init(
            connectionHandle: ConnectionHandle,
            reason: ErrorCode = .remoteUserTerminatedConnection
        ) {
            self.connectionHandle = connectionHandle
            self.reason = reason
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            reason = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connectionHandle, reason)
        }
    }

    /// A command that reads the version of the peer's controller (Vol 4, Part E, 7.1.23).
    package struct ReadRemoteVersionInformation: CommandStatusCommand, ConnectionHandleParameters {
        package static let opcode = Opcode.readRemoteVersionInformation

        package var connectionHandle: ConnectionHandle

        package init(connectionHandle: ConnectionHandle) {
            self.connectionHandle = connectionHandle
        }
    }
}
