// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that reads the versions and the manufacturer of the controller (Vol 4, Part E,
    /// 7.4.1).
    package struct ReadLocalVersionInformation: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.readLocalVersionInformation
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            package var hciVersion: Version
            package var hciSubversion: UInt16
            package var linkLayerVersion: Version
            /// The manufacturer's company identifier, as in the Assigned Numbers.
            package var company: UInt16
            package var linkLayerSubversion: UInt16

            package init(
                hciVersion: Version,
                hciSubversion: UInt16,
                linkLayerVersion: Version,
                company: UInt16,
                linkLayerSubversion: UInt16
            ) {
                self.hciVersion = hciVersion
                self.hciSubversion = hciSubversion
                self.linkLayerVersion = linkLayerVersion
                self.company = company
                self.linkLayerSubversion = linkLayerSubversion
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                hciVersion = try reader.decode()
                hciSubversion = try reader.decode()
                linkLayerVersion = try reader.decode()
                company = try reader.decode()
                linkLayerSubversion = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(
                    hciVersion,
                    hciSubversion,
                    linkLayerVersion,
                    company,
                    linkLayerSubversion
                )
            }
        }
    }

    /// A command that reads the commands that the controller supports (Vol 4, Part E, 7.4.2).
    package struct ReadLocalSupportedCommands: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.readLocalSupportedCommands
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            package var commands: SupportedCommands

            package init(commands: SupportedCommands) {
                self.commands = commands
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                commands = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(commands)
            }
        }
    }

    /// A command that reads the controller's LMP features, such as whether it supports LE (Vol 4,
    /// Part E, 7.4.3).
    package struct ReadLocalSupportedFeatures: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.readLocalSupportedFeatures
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            package var features: LMPFeatures

            package init(features: LMPFeatures) {
                self.features = features
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                features = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(features)
            }
        }
    }

    /// A command that reads the buffers for BR/EDR links, which LE links share if LE has no buffers
    /// of its own (Vol 4, Part E, 7.4.5).
    package struct ReadBufferSize: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.readBufferSize
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            package var aclPacketLength: UInt16
            package var synchronousPacketLength: UInt8
            package var aclPacketCount: UInt16
            package var synchronousPacketCount: UInt16

            package init(
                aclPacketLength: UInt16,
                synchronousPacketLength: UInt8,
                aclPacketCount: UInt16,
                synchronousPacketCount: UInt16
            ) {
                self.aclPacketLength = aclPacketLength
                self.synchronousPacketLength = synchronousPacketLength
                self.aclPacketCount = aclPacketCount
                self.synchronousPacketCount = synchronousPacketCount
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                aclPacketLength = try reader.decode()
                synchronousPacketLength = try reader.decode()
                aclPacketCount = try reader.decode()
                synchronousPacketCount = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(
                    aclPacketLength,
                    synchronousPacketLength,
                    aclPacketCount,
                    synchronousPacketCount
                )
            }
        }
    }

    /// A command that reads the public address (Vol 4, Part E, 7.4.6).
    package struct ReadBDAddress: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.readBDAddress
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            /// The public address, or all zero if the controller has none.
            package var address: BareAddress

            package init(address: BareAddress) {
                self.address = address
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                address = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(address)
            }
        }
    }

    /// A command that reads the signal strength of the last packet that arrived on a link
    /// (Vol 4, Part E, 7.5.4).
    package struct ReadRSSI: CommandCompleteCommand, ConnectionHandleParameters {
        package static let opcode = Opcode.readRSSI

        package var connectionHandle: ConnectionHandle

        package init(connectionHandle: ConnectionHandle) {
            self.connectionHandle = connectionHandle
        }

        package struct ReturnParameters: HCIReturnParameters {
            package var connectionHandle: ConnectionHandle
            /// The signal strength in dBm, or 127 if it is not known.
            package var rssi: Int8

            package init(connectionHandle: ConnectionHandle, rssi: Int8) {
                self.connectionHandle = connectionHandle
                self.rssi = rssi
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                connectionHandle = try reader.decode()
                rssi = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(connectionHandle, rssi)
            }
        }
    }
}
