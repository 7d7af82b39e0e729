// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that sets the parameters of legacy advertising. It is not allowed while
    /// advertising (Vol 4, Part E, 7.8.5).
    package struct LESetAdvertisingParameters: CommandCompleteCommand {
        package static let opcode = Opcode.leSetAdvertisingParameters

        package var intervalMinimum: ScanInterval
        package var intervalMaximum: ScanInterval
        package var type: AdvertisingType
        package var ownAddressType: OwnAddressType
        package var peerAddress: PeerAddress
        package var channels: AdvertisingChannels
        package var filterPolicy: AdvertisingFilterPolicy

        package init(
            intervalMinimum: ScanInterval,
            intervalMaximum: ScanInterval,
            type: AdvertisingType = .connectableUndirected,
            ownAddressType: OwnAddressType,
            peerAddress: PeerAddress = .none,
            channels: AdvertisingChannels = .all,
            filterPolicy: AdvertisingFilterPolicy = .unfiltered
        ) {
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.type = type
            self.ownAddressType = ownAddressType
            self.peerAddress = peerAddress
            self.channels = channels
            self.filterPolicy = filterPolicy
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            intervalMinimum = try reader.decode()
            intervalMaximum = try reader.decode()
            type = try reader.decode()
            ownAddressType = try reader.decode()
            peerAddress = try reader.decode()
            channels = try reader.decode()
            filterPolicy = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(
                intervalMinimum,
                intervalMaximum,
                type,
                ownAddressType,
                peerAddress,
                channels,
                filterPolicy
            )
        }
    }

    /// A command that reads the transmit power of legacy advertising (Vol 4, Part E, 7.8.6).
    package struct LEReadAdvertisingPhysicalChannelTxPower: CommandCompleteCommand, EmptyParameters
    {
        package static let opcode = Opcode.leReadAdvertisingPhysicalChannelTxPower
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            /// The transmit power in dBm.
            package var level: Int8

            package init(level: Int8) {
                self.level = level
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                level = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(level)
            }
        }
    }

    /// A command that sets the advertising data (Vol 4, Part E, 7.8.7).
    package struct LESetAdvertisingData: CommandCompleteCommand {
        package static let opcode = Opcode.leSetAdvertisingData

        package var data: LegacyAdvertisingData

        package init(data: LegacyAdvertisingData) {
            self.data = data
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            data = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(data)
        }
    }

    /// A command that sets the scan response data, which active scanners request in addition to the
    /// advertising data (Vol 4, Part E, 7.8.8).
    package struct LESetScanResponseData: CommandCompleteCommand {
        package static let opcode = Opcode.leSetScanResponseData

        package var data: LegacyAdvertisingData

        package init(data: LegacyAdvertisingData) {
            self.data = data
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            data = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(data)
        }
    }

    /// A command that starts or stops advertising (Vol 4, Part E, 7.8.9).
    package struct LESetAdvertisingEnable: CommandCompleteCommand {
        package static let opcode = Opcode.leSetAdvertisingEnable

        package var isEnabled: Bool

        package init(isEnabled: Bool) {
            self.isEnabled = isEnabled
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            isEnabled = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(isEnabled)
        }
    }
}
