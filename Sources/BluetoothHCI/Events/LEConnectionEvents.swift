// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A new link, or the end of an attempt to create one (Vol 4, Part E, 7.7.65.1).
    package struct LEConnectionComplete: HCIParameters {
        package var status: ErrorCode
        package var connectionHandle: ConnectionHandle
        package var role: Role
        package var peerAddress: PeerAddress
        package var interval: ConnectionInterval
        /// The number of connection events that the peripheral may skip.
        package var peripheralLatency: UInt16
        package var supervisionTimeout: Timeout
        /// The clock accuracy of the central as a code: 0 is 500 ppm, 7 is 20 ppm. Always 0 on a
        /// central.
        package var clockAccuracy: UInt8

        package init(
            status: ErrorCode,
            connectionHandle: ConnectionHandle,
            role: Role,
            peerAddress: PeerAddress,
            interval: ConnectionInterval,
            peripheralLatency: UInt16,
            supervisionTimeout: Timeout,
            clockAccuracy: UInt8 = 0
        ) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.role = role
            self.peerAddress = peerAddress
            self.interval = interval
            self.peripheralLatency = peripheralLatency
            self.supervisionTimeout = supervisionTimeout
            self.clockAccuracy = clockAccuracy
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            connectionHandle = try reader.decode()
            role = try reader.decode()
            peerAddress = try reader.decode()
            interval = try reader.decode()
            peripheralLatency = try reader.decode()
            supervisionTimeout = try reader.decode()
            clockAccuracy = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(
                status,
                connectionHandle,
                role,
                peerAddress,
                interval,
                peripheralLatency,
                supervisionTimeout,
                clockAccuracy
            )
        }
    }

    /// A new link, or the end of an attempt to create one, with the private addresses
    /// (Vol 4, Part E, 7.7.65.10).
    package struct LEEnhancedConnectionComplete: HCIParameters {
        package var status: ErrorCode
        package var connectionHandle: ConnectionHandle
        package var role: Role
        package var peerAddress: PeerAddress
        /// The local private address, or all zero if the link does not use one.
        package var localPrivateAddress: BareAddress
        /// The peer's private address, or all zero if the link does not use one.
        package var peerPrivateAddress: BareAddress
        package var interval: ConnectionInterval
        /// The number of connection events that the peripheral may skip.
        package var peripheralLatency: UInt16
        package var supervisionTimeout: Timeout
        /// The clock accuracy of the central as a code: 0 is 500 ppm, 7 is 20 ppm. Always 0 on a
        /// central.
        package var clockAccuracy: UInt8

        package init(
            status: ErrorCode,
            connectionHandle: ConnectionHandle,
            role: Role,
            peerAddress: PeerAddress,
            localPrivateAddress: BareAddress,
            peerPrivateAddress: BareAddress,
            interval: ConnectionInterval,
            peripheralLatency: UInt16,
            supervisionTimeout: Timeout,
            clockAccuracy: UInt8 = 0
        ) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.role = role
            self.peerAddress = peerAddress
            self.localPrivateAddress = localPrivateAddress
            self.peerPrivateAddress = peerPrivateAddress
            self.interval = interval
            self.peripheralLatency = peripheralLatency
            self.supervisionTimeout = supervisionTimeout
            self.clockAccuracy = clockAccuracy
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            connectionHandle = try reader.decode()
            role = try reader.decode()
            peerAddress = try reader.decode()
            localPrivateAddress = try reader.decode()
            peerPrivateAddress = try reader.decode()
            interval = try reader.decode()
            peripheralLatency = try reader.decode()
            supervisionTimeout = try reader.decode()
            clockAccuracy = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(
                status,
                connectionHandle,
                role,
                peerAddress,
                localPrivateAddress,
                peerPrivateAddress,
                interval,
                peripheralLatency,
                supervisionTimeout,
                clockAccuracy
            )
        }
    }

    /// A new link, or the end of an attempt to create one, with the private addresses and the
    /// advertising set (Vol 4, Part E, 7.7.65.10).
    package struct LEEnhancedConnectionCompleteV2: HCIParameters {
        package var connection: LEEnhancedConnectionComplete
        /// The handle of the advertising set, or 0xFF if there is none.
        package var advertisingHandle: UInt8
        /// The handle of the periodic advertising train, or 0xFFFF if there is none.
        package var syncHandle: UInt16

        package init(
            connection: LEEnhancedConnectionComplete,
            advertisingHandle: UInt8,
            syncHandle: UInt16
        ) {
            self.connection = connection
            self.advertisingHandle = advertisingHandle
            self.syncHandle = syncHandle
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connection = try reader.decode()
            advertisingHandle = try reader.decode()
            syncHandle = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connection, advertisingHandle, syncHandle)
        }
    }

    /// A change of a link's connection parameters, or the failure of a change (Vol 4, Part E,
    /// 7.7.65.3).
    package struct LEConnectionUpdateComplete: HCIParameters {
        package var status: ErrorCode
        package var connectionHandle: ConnectionHandle
        package var interval: ConnectionInterval
        /// The number of connection events that the peripheral may skip.
        package var peripheralLatency: UInt16
        package var supervisionTimeout: Timeout

        package init(
            status: ErrorCode,
            connectionHandle: ConnectionHandle,
            interval: ConnectionInterval,
            peripheralLatency: UInt16,
            supervisionTimeout: Timeout
        ) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.interval = interval
            self.peripheralLatency = peripheralLatency
            self.supervisionTimeout = supervisionTimeout
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            connectionHandle = try reader.decode()
            interval = try reader.decode()
            peripheralLatency = try reader.decode()
            supervisionTimeout = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(status, connectionHandle, interval, peripheralLatency, supervisionTimeout)
        }
    }

    /// A peer's request for different connection parameters (Vol 4, Part E, 7.7.65.6).
    package struct LERemoteConnectionParameterRequest: HCIParameters {
        package var connectionHandle: ConnectionHandle
        package var intervalMinimum: ConnectionInterval
        package var intervalMaximum: ConnectionInterval
        package var peripheralLatency: UInt16
        package var supervisionTimeout: Timeout

        package init(
            connectionHandle: ConnectionHandle,
            intervalMinimum: ConnectionInterval,
            intervalMaximum: ConnectionInterval,
            peripheralLatency: UInt16,
            supervisionTimeout: Timeout
        ) {
            self.connectionHandle = connectionHandle
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.peripheralLatency = peripheralLatency
            self.supervisionTimeout = supervisionTimeout
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            intervalMinimum = try reader.decode()
            intervalMaximum = try reader.decode()
            peripheralLatency = try reader.decode()
            supervisionTimeout = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(
                connectionHandle,
                intervalMinimum,
                intervalMaximum,
                peripheralLatency,
                supervisionTimeout
            )
        }
    }
}
