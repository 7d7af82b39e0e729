// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that changes the connection parameters of a link (Vol 4, Part E, 7.8.18).
    package struct LEConnectionUpdate: CommandStatusCommand {
        package static let opcode = Opcode.leConnectionUpdate

        package var connectionHandle: ConnectionHandle
        package var parameters: ConnectionParameters

        package init(connectionHandle: ConnectionHandle, parameters: ConnectionParameters) {
            self.connectionHandle = connectionHandle
            self.parameters = parameters
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            parameters = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connectionHandle, parameters)
        }
    }

    /// A command that informs the controller which channels the host classifies as bad
    /// (Vol 4, Part E, 7.8.19).
    package struct LESetHostChannelClassification: CommandCompleteCommand {
        package static let opcode = Opcode.leSetHostChannelClassification

        package var channels: ChannelMap

        package init(channels: ChannelMap) {
            self.channels = channels
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            channels = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(channels)
        }
    }

    /// A command that reads the channels that a link uses (Vol 4, Part E, 7.8.20).
    package struct LEReadChannelMap: CommandCompleteCommand, ConnectionHandleParameters {
        package static let opcode = Opcode.leReadChannelMap

        package var connectionHandle: ConnectionHandle

        package init(connectionHandle: ConnectionHandle) {
            self.connectionHandle = connectionHandle
        }

        package struct ReturnParameters: HCIReturnParameters {
            package var connectionHandle: ConnectionHandle
            package var channels: ChannelMap

            package init(connectionHandle: ConnectionHandle, channels: ChannelMap) {
                self.connectionHandle = connectionHandle
                self.channels = channels
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                connectionHandle = try reader.decode()
                channels = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(connectionHandle, channels)
            }
        }
    }

    /// A command that reads the features of the peer's Link Layer (Vol 4, Part E, 7.8.21).
    package struct LEReadRemoteFeatures: CommandStatusCommand, ConnectionHandleParameters {
        package static let opcode = Opcode.leReadRemoteFeatures

        package var connectionHandle: ConnectionHandle

        package init(connectionHandle: ConnectionHandle) {
            self.connectionHandle = connectionHandle
        }
    }

    /// A command that accepts the connection parameters that the peer requested, or a part of their
    /// range (Vol 4, Part E, 7.8.31).
    package struct LERemoteConnectionParameterRequestReply: CommandCompleteCommand {
        package static let opcode = Opcode.leRemoteConnectionParameterRequestReply
        package typealias ReturnParameters = LinkReturnParameters

        package var connectionHandle: ConnectionHandle
        package var parameters: ConnectionParameters

        package init(connectionHandle: ConnectionHandle, parameters: ConnectionParameters) {
            self.connectionHandle = connectionHandle
            self.parameters = parameters
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            parameters = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connectionHandle, parameters)
        }
    }

    /// A command that rejects the connection parameters that the peer requested (Vol 4, Part E,
    /// 7.8.32).
    package struct LERemoteConnectionParameterRequestNegativeReply: CommandCompleteCommand {
        package static let opcode = Opcode.leRemoteConnectionParameterRequestNegativeReply
        package typealias ReturnParameters = LinkReturnParameters

        package var connectionHandle: ConnectionHandle
        package var reason: ErrorCode

        package init(connectionHandle: ConnectionHandle, reason: ErrorCode) {
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
}
