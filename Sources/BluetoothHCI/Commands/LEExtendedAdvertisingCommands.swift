// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that sets the random address of one advertising set (Vol 4, Part E, 7.8.52).
    package struct LESetAdvertisingSetRandomAddress: CommandCompleteCommand {
        package static let opcode = Opcode.leSetAdvertisingSetRandomAddress

        /// The number by which the host identifies the set.
        package var advertisingHandle: UInt8
        package var address: BareAddress

        package init(advertisingHandle: UInt8, address: BareAddress) {
            self.advertisingHandle = advertisingHandle
            self.address = address
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            advertisingHandle = try reader.decode()
            address = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(advertisingHandle, address)
        }
    }

    /// A command that creates an advertising set or changes its parameters (Vol 4, Part E, 7.8.53).
    package struct LESetExtendedAdvertisingParameters: CommandCompleteCommand {
        package static let opcode = Opcode.leSetExtendedAdvertisingParameters

        package var advertisingHandle: UInt8
        package var properties: AdvertisingProperties
        package var intervalMinimum: AdvertisingInterval
        package var intervalMaximum: AdvertisingInterval
        package var channels: AdvertisingChannels
        package var ownAddressType: OwnAddressType
        package var peerAddress: PeerAddress
        package var filterPolicy: AdvertisingFilterPolicy
        /// The transmit power in dBm, or 127 for no preference.
        package var transmitPower: Int8
        package var primaryPHY: PHY
        package var secondaryMaximumSkip: UInt8
        package var secondaryPHY: PHY
        package var setIdentifier: UInt8
        package var reportsScanRequests: Bool

        package init(
            advertisingHandle: UInt8,
            properties: AdvertisingProperties,
            intervalMinimum: AdvertisingInterval,
            intervalMaximum: AdvertisingInterval,
            channels: AdvertisingChannels = .all,
            ownAddressType: OwnAddressType,
            peerAddress: PeerAddress = .none,
            filterPolicy: AdvertisingFilterPolicy = .unfiltered,
            transmitPower: Int8 = 127,
            primaryPHY: PHY = .le1M,
            secondaryMaximumSkip: UInt8 = 0,
            secondaryPHY: PHY = .le1M,
            setIdentifier: UInt8 = 0,
            reportsScanRequests: Bool = false
        ) {
            self.advertisingHandle = advertisingHandle
            self.properties = properties
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.channels = channels
            self.ownAddressType = ownAddressType
            self.peerAddress = peerAddress
            self.filterPolicy = filterPolicy
            self.transmitPower = transmitPower
            self.primaryPHY = primaryPHY
            self.secondaryMaximumSkip = secondaryMaximumSkip
            self.secondaryPHY = secondaryPHY
            self.setIdentifier = setIdentifier
            self.reportsScanRequests = reportsScanRequests
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            advertisingHandle = try reader.decode()
            properties = try reader.decode()
            intervalMinimum = try reader.decode()
            intervalMaximum = try reader.decode()
            channels = try reader.decode()
            ownAddressType = try reader.decode()
            peerAddress = try reader.decode()
            filterPolicy = try reader.decode()
            transmitPower = try reader.decode()
            primaryPHY = try reader.decode()
            secondaryMaximumSkip = try reader.decode()
            secondaryPHY = try reader.decode()
            setIdentifier = try reader.decode()
            reportsScanRequests = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(
                advertisingHandle,
                properties,
                intervalMinimum,
                intervalMaximum,
                channels,
                ownAddressType,
                peerAddress,
                filterPolicy,
                transmitPower,
                primaryPHY,
                secondaryMaximumSkip,
                secondaryPHY,
                setIdentifier,
                reportsScanRequests
            )
        }

        package struct ReturnParameters: HCIReturnParameters {
            /// The transmit power that the controller selected, in dBm.
            package var transmitPower: Int8

            package init(transmitPower: Int8) {
                self.transmitPower = transmitPower
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                transmitPower = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(transmitPower)
            }
        }
    }

    /// A command that sets the data of an advertising set, in one or several fragments
    /// (Vol 4, Part E, 7.8.54).
    package struct LESetExtendedAdvertisingData: CommandCompleteCommand {
        package static let opcode = Opcode.leSetExtendedAdvertisingData

        package var advertisingHandle: UInt8
        package var operation: DataOperation
        package var fragmentPreference: FragmentPreference
        package var data: ArraySlice<UInt8>

        package init(
            advertisingHandle: UInt8,
            operation: DataOperation = .complete,
            fragmentPreference: FragmentPreference = .shouldNotFragment,
            data: ArraySlice<UInt8>
        ) {
            self.advertisingHandle = advertisingHandle
            self.operation = operation
            self.fragmentPreference = fragmentPreference
            self.data = data
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            advertisingHandle = try reader.decode()
            operation = try reader.decode()
            fragmentPreference = try reader.decode()
            data = try reader.decodeCountedBytes()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(advertisingHandle, operation, fragmentPreference)
            writer.encodeCountedBytes(data)
        }
    }

    /// A command that sets the scan response data of an advertising set, in one or several
    /// fragments (Vol 4, Part E, 7.8.55).
    package struct LESetExtendedScanResponseData: CommandCompleteCommand {
        package static let opcode = Opcode.leSetExtendedScanResponseData

        package var advertisingHandle: UInt8
        package var operation: DataOperation
        package var fragmentPreference: FragmentPreference
        package var data: ArraySlice<UInt8>

        package init(
            advertisingHandle: UInt8,
            operation: DataOperation = .complete,
            fragmentPreference: FragmentPreference = .shouldNotFragment,
            data: ArraySlice<UInt8>
        ) {
            self.advertisingHandle = advertisingHandle
            self.operation = operation
            self.fragmentPreference = fragmentPreference
            self.data = data
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            advertisingHandle = try reader.decode()
            operation = try reader.decode()
            fragmentPreference = try reader.decode()
            data = try reader.decodeCountedBytes()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(advertisingHandle, operation, fragmentPreference)
            writer.encodeCountedBytes(data)
        }
    }

    /// An advertising set to start or stop, and the limits of its advertising.
    package struct AdvertisingSetRun: HCIParameters {
        package var advertisingHandle: UInt8
        /// The time after which advertising stops, or zero for no time limit.
        package var duration: Timeout
        /// The number of advertising events after which advertising stops, or zero for no limit.
        package var eventLimit: UInt8

        package init(
            advertisingHandle: UInt8,
            duration: Timeout = Timeout(rawValue: 0),
            eventLimit: UInt8 = 0
        ) {
            self.advertisingHandle = advertisingHandle
            self.duration = duration
            self.eventLimit = eventLimit
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            advertisingHandle = try reader.decode()
            duration = try reader.decode()
            eventLimit = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(advertisingHandle, duration, eventLimit)
        }
    }

    /// A command that starts or stops advertising sets (Vol 4, Part E, 7.8.56).
    package struct LESetExtendedAdvertisingEnable: CommandCompleteCommand {
        package static let opcode = Opcode.leSetExtendedAdvertisingEnable

        package var isEnabled: Bool
        /// The sets to start or stop. When stopping, an empty list means all sets.
        package var sets: [AdvertisingSetRun]

        package init(isEnabled: Bool, sets: [AdvertisingSetRun]) {
            self.isEnabled = isEnabled
            self.sets = sets
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            isEnabled = try reader.decode()
            sets = try reader.decodeCountedValues()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(isEnabled)
            writer.encodeCountedValues(sets)
        }
    }

    /// A command that reads the maximum length of the data of an advertising set (Vol 4, Part E,
    /// 7.8.57).
    package struct LEReadMaximumAdvertisingDataLength: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leReadMaximumAdvertisingDataLength
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            package var length: UInt16

            package init(length: UInt16) {
                self.length = length
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                length = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(length)
            }
        }
    }

    /// A command that reads the number of advertising sets that the controller currently supports
    /// (Vol 4, Part E, 7.8.58).
    package struct LEReadNumberOfSupportedAdvertisingSets: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leReadNumberOfSupportedAdvertisingSets
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            package var count: UInt8

            package init(count: UInt8) {
                self.count = count
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                count = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(count)
            }
        }
    }

    /// A command that removes an advertising set. It is not allowed while the set advertises
    /// (Vol 4, Part E, 7.8.59).
    package struct LERemoveAdvertisingSet: CommandCompleteCommand {
        package static let opcode = Opcode.leRemoveAdvertisingSet

        package var advertisingHandle: UInt8

        package init(advertisingHandle: UInt8) {
            self.advertisingHandle = advertisingHandle
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            advertisingHandle = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(advertisingHandle)
        }
    }

    /// A command that removes all advertising sets. It is not allowed while a set advertises
    /// (Vol 4, Part E, 7.8.60).
    package struct LEClearAdvertisingSets: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leClearAdvertisingSets
        package init() {}
    }
}
