// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that suggests the maximum length of the packets on a link (Vol 4, Part E, 7.8.33).
    package struct LESetDataLength: CommandCompleteCommand {
        package static let opcode = Opcode.leSetDataLength
        package typealias ReturnParameters = LinkReturnParameters

        package var connectionHandle: ConnectionHandle
        package var transmitBytes: UInt16
        package var transmitTime: AirTime

        package init(
            connectionHandle: ConnectionHandle,
            transmitBytes: UInt16,
            transmitTime: AirTime
        ) {
            self.connectionHandle = connectionHandle
            self.transmitBytes = transmitBytes
            self.transmitTime = transmitTime
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            transmitBytes = try reader.decode()
            transmitTime = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connectionHandle, transmitBytes, transmitTime)
        }
    }

    /// A command that reads the suggested packet length for new links (Vol 4, Part E, 7.8.34).
    package struct LEReadSuggestedDefaultDataLength: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leReadSuggestedDefaultDataLength
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            package var transmitBytes: UInt16
            package var transmitTime: AirTime

            package init(transmitBytes: UInt16, transmitTime: AirTime) {
                self.transmitBytes = transmitBytes
                self.transmitTime = transmitTime
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                transmitBytes = try reader.decode()
                transmitTime = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(transmitBytes, transmitTime)
            }
        }
    }

    /// A command that sets the suggested packet length for new links (Vol 4, Part E, 7.8.35).
    package struct LEWriteSuggestedDefaultDataLength: CommandCompleteCommand {
        package static let opcode = Opcode.leWriteSuggestedDefaultDataLength

        package var transmitBytes: UInt16
        package var transmitTime: AirTime

        package init(transmitBytes: UInt16, transmitTime: AirTime) {
            self.transmitBytes = transmitBytes
            self.transmitTime = transmitTime
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            transmitBytes = try reader.decode()
            transmitTime = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(transmitBytes, transmitTime)
        }
    }

    /// A command that reads the maximum packet lengths that the controller supports (Vol 4, Part E,
    /// 7.8.46).
    package struct LEReadMaximumDataLength: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leReadMaximumDataLength
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            package var transmitBytes: UInt16
            package var transmitTime: AirTime
            package var receiveBytes: UInt16
            package var receiveTime: AirTime

            package init(
                transmitBytes: UInt16,
                transmitTime: AirTime,
                receiveBytes: UInt16,
                receiveTime: AirTime
            ) {
                self.transmitBytes = transmitBytes
                self.transmitTime = transmitTime
                self.receiveBytes = receiveBytes
                self.receiveTime = receiveTime
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                transmitBytes = try reader.decode()
                transmitTime = try reader.decode()
                receiveBytes = try reader.decode()
                receiveTime = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(transmitBytes, transmitTime, receiveBytes, receiveTime)
            }
        }
    }
}
