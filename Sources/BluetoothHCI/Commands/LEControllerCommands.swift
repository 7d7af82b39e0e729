// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that sets the LE events that the controller may send (Vol 4, Part E, 7.8.1).
    package struct LESetEventMask: CommandCompleteCommand {
        package static let opcode = Opcode.leSetEventMask

        package var mask: LEEventMask

        package init(mask: LEEventMask) {
            self.mask = mask
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            mask = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(mask)
        }
    }

    /// A command that reads the length and number of the controller's buffers for LE links
    /// (Vol 4, Part E, 7.8.2).
    package struct LEReadBufferSize: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leReadBufferSize
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            /// The length in bytes, or 0 if LE links share the buffers of BR/EDR links.
            package var aclPacketLength: UInt16
            package var aclPacketCount: UInt8

            package init(aclPacketLength: UInt16, aclPacketCount: UInt8) {
                self.aclPacketLength = aclPacketLength
                self.aclPacketCount = aclPacketCount
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                aclPacketLength = try reader.decode()
                aclPacketCount = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(aclPacketLength, aclPacketCount)
            }
        }
    }

    /// A command that reads the controller's buffers for LE links and for isochronous streams
    /// (Vol 4, Part E, 7.8.2).
    package struct LEReadBufferSizeV2: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leReadBufferSizeV2
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            /// The length in bytes, or 0 if LE links share the buffers of BR/EDR links.
            package var aclPacketLength: UInt16
            package var aclPacketCount: UInt8
            package var isochronousPacketLength: UInt16
            package var isochronousPacketCount: UInt8

            package init(
                aclPacketLength: UInt16,
                aclPacketCount: UInt8,
                isochronousPacketLength: UInt16,
                isochronousPacketCount: UInt8
            ) {
                self.aclPacketLength = aclPacketLength
                self.aclPacketCount = aclPacketCount
                self.isochronousPacketLength = isochronousPacketLength
                self.isochronousPacketCount = isochronousPacketCount
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                aclPacketLength = try reader.decode()
                aclPacketCount = try reader.decode()
                isochronousPacketLength = try reader.decode()
                isochronousPacketCount = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(
                    aclPacketLength,
                    aclPacketCount,
                    isochronousPacketLength,
                    isochronousPacketCount
                )
            }
        }
    }

    /// A command that reads the features of the Link Layer (Vol 4, Part E, 7.8.3).
    package struct LEReadLocalSupportedFeatures: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leReadLocalSupportedFeatures
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            package var features: LEFeatures

            package init(features: LEFeatures) {
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

    /// A command that sets the random address for scanning, initiating and legacy advertising
    /// (Vol 4, Part E, 7.8.4).
    package struct LESetRandomAddress: CommandCompleteCommand {
        package static let opcode = Opcode.leSetRandomAddress

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

    /// A command that reads which activities the controller can combine, such as scanning while
    /// advertising (Vol 4, Part E, 7.8.27).
    package struct LEReadSupportedStates: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leReadSupportedStates
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            package var states: LESupportedStates

            package init(states: LESupportedStates) {
                self.states = states
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                states = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(states)
            }
        }
    }

    /// A command that reads 64 random bits from the controller (Vol 4, Part E, 7.8.23).
    package struct LERand: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leRand
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            package var random: UInt64

            package init(random: UInt64) {
                self.random = random
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                random = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(random)
            }
        }
    }

    /// A command that reads the range of the radio's transmit power (Vol 4, Part E, 7.8.74).
    package struct LEReadTransmitPower: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leReadTransmitPower
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            /// The minimum power in dBm.
            package var minimum: Int8
            /// The maximum power in dBm.
            package var maximum: Int8

            package init(minimum: Int8, maximum: Int8) {
                self.minimum = minimum
                self.maximum = maximum
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                minimum = try reader.decode()
                maximum = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(minimum, maximum)
            }
        }
    }
}
