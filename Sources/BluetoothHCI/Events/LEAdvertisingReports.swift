// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A legacy advertisement that the controller received (Vol 4, Part E, 7.7.65.2).
    package struct AdvertisingReport: HCIParameters {
        package var type: AdvertisingReportType
        package var address: PeerAddress
        package var data: ArraySlice<UInt8>
        /// The signal strength in dBm, or 127 if it is not known.
        package var rssi: Int8

        package init(
            type: AdvertisingReportType,
            address: PeerAddress,
            data: ArraySlice<UInt8>,
            rssi: Int8
        ) {
            self.type = type
            self.address = address
            self.data = data
            self.rssi = rssi
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            type = try reader.decode()
            address = try reader.decode()
            data = try reader.decodeCountedBytes()
            rssi = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(type, address)
            writer.encodeCountedBytes(data)
            writer.encode(rssi)
        }
    }

    /// A directed advertisement to a private address that the controller could not resolve (Vol 4,
    /// Part E, 7.7.65.11).
    package struct DirectedAdvertisingReport: HCIParameters {
        package var type: AdvertisingReportType
        package var address: PeerAddress
        package var target: PeerAddress
        /// The signal strength in dBm, or 127 if it is not known.
        package var rssi: Int8

        package init(
            type: AdvertisingReportType,
            address: PeerAddress,
            target: PeerAddress,
            rssi: Int8
        ) {
            self.type = type
            self.address = address
            self.target = target
            self.rssi = rssi
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            type = try reader.decode()
            address = try reader.decode()
            target = try reader.decode()
            rssi = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(type, address, target, rssi)
        }
    }

    /// A legacy or extended advertisement that the controller received, or a fragment of one (Vol
    /// 4, Part E, 7.7.65.13).
    package struct ExtendedAdvertisingReport: HCIParameters {
        package var type: ExtendedReportType
        package var address: PeerAddress
        package var primaryPHY: PHY
        /// The PHY of the secondary channel, or `nil` if no packet used a secondary channel.
        package var secondaryPHY: PHY?
        /// The identifier of the advertising set, or 0xFF if there is none.
        package var setIdentifier: UInt8
        /// The advertiser's transmit power in dBm, or 127 if it is not known.
        package var transmitPower: Int8
        /// The signal strength in dBm, or 127 if it is not known.
        package var rssi: Int8
        /// The interval of periodic advertising, or zero if there is none.
        package var periodicInterval: ConnectionInterval
        /// The target address of a directed advertisement.
        package var target: PeerAddress
        package var data: ArraySlice<UInt8>

        package init(
            type: ExtendedReportType,
            address: PeerAddress,
            primaryPHY: PHY,
            secondaryPHY: PHY?,
            setIdentifier: UInt8,
            transmitPower: Int8,
            rssi: Int8,
            periodicInterval: ConnectionInterval,
            target: PeerAddress,
            data: ArraySlice<UInt8>
        ) {
            self.type = type
            self.address = address
            self.primaryPHY = primaryPHY
            self.secondaryPHY = secondaryPHY
            self.setIdentifier = setIdentifier
            self.transmitPower = transmitPower
            self.rssi = rssi
            self.periodicInterval = periodicInterval
            self.target = target
            self.data = data
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            type = try reader.decode()
            address = try reader.decode()
            primaryPHY = try reader.decode()
            secondaryPHY = try reader.decode()
            setIdentifier = try reader.decode()
            transmitPower = try reader.decode()
            rssi = try reader.decode()
            periodicInterval = try reader.decode()
            target = try reader.decode()
            data = try reader.decodeCountedBytes()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(
                type,
                address,
                primaryPHY,
                secondaryPHY,
                setIdentifier,
                transmitPower,
                rssi,
                periodicInterval,
                target
            )
            writer.encodeCountedBytes(data)
        }
    }
}
