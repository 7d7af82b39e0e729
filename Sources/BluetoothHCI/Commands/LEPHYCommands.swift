// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that reads the PHYs that a link uses (Vol 4, Part E, 7.8.47).
    package struct LEReadPHY: CommandCompleteCommand, ConnectionHandleParameters {
        package static let opcode = Opcode.leReadPHY

        package var connectionHandle: ConnectionHandle

        package init(connectionHandle: ConnectionHandle) {
            self.connectionHandle = connectionHandle
        }

        package struct ReturnParameters: HCIReturnParameters {
            package var connectionHandle: ConnectionHandle
            package var transmit: PHY
            package var receive: PHY

            package init(connectionHandle: ConnectionHandle, transmit: PHY, receive: PHY) {
                self.connectionHandle = connectionHandle
                self.transmit = transmit
                self.receive = receive
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                connectionHandle = try reader.decode()
                transmit = try reader.decode()
                receive = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(connectionHandle, transmit, receive)
            }
        }
    }

    /// A command that sets the preferred PHYs for new links (Vol 4, Part E, 7.8.48).
    package struct LESetDefaultPHY: CommandCompleteCommand {
        package static let opcode = Opcode.leSetDefaultPHY

        package var preference: PHYPreference

        package init(preference: PHYPreference) {
            self.preference = preference
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            preference = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(preference)
        }
    }

    /// A command that requests a change of the PHYs of a link. LE PHY Update Complete reports the
    /// result (Vol 4, Part E, 7.8.49).
    package struct LESetPHY: CommandStatusCommand {
        package static let opcode = Opcode.leSetPHY

        package var connectionHandle: ConnectionHandle
        package var preference: PHYPreference
        package var coding: CodedPHYPreference

        package init(
            connectionHandle: ConnectionHandle,
            preference: PHYPreference,
            coding: CodedPHYPreference = .none
        ) {
            self.connectionHandle = connectionHandle
            self.preference = preference
            self.coding = coding
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            preference = try reader.decode()
            coding = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connectionHandle, preference, coding)
        }
    }
}
