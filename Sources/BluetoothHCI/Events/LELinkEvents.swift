// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The features of the peer's Link Layer, or the failure to read them (Vol 4, Part E,
    /// 7.7.65.4).
    package struct LEReadRemoteFeaturesComplete: HCIParameters {
        package var status: ErrorCode
        package var connectionHandle: ConnectionHandle
        package var features: LEFeatures

        package init(status: ErrorCode, connectionHandle: ConnectionHandle, features: LEFeatures) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.features = features
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            connectionHandle = try reader.decode()
            features = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(status, connectionHandle, features)
        }
    }

    /// The controller's request for the long-term key, because the central starts encryption
    /// (Vol 4, Part E, 7.7.65.5).
    package struct LELongTermKeyRequest: HCIParameters {
        package var connectionHandle: ConnectionHandle
        package var random: UInt64
        package var encryptedDiversifier: UInt16

        package init(
            connectionHandle: ConnectionHandle,
            random: UInt64,
            encryptedDiversifier: UInt16
        ) {
            self.connectionHandle = connectionHandle
            self.random = random
            self.encryptedDiversifier = encryptedDiversifier
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            random = try reader.decode()
            encryptedDiversifier = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connectionHandle, random, encryptedDiversifier)
        }
    }

    /// A change of the maximum packet length of a link (Vol 4, Part E, 7.7.65.7).
    package struct LEDataLengthChange: HCIParameters {
        package var connectionHandle: ConnectionHandle
        package var transmitBytes: UInt16
        package var transmitTime: AirTime
        package var receiveBytes: UInt16
        package var receiveTime: AirTime

        package init(
            connectionHandle: ConnectionHandle,
            transmitBytes: UInt16,
            transmitTime: AirTime,
            receiveBytes: UInt16,
            receiveTime: AirTime
        ) {
            self.connectionHandle = connectionHandle
            self.transmitBytes = transmitBytes
            self.transmitTime = transmitTime
            self.receiveBytes = receiveBytes
            self.receiveTime = receiveTime
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            transmitBytes = try reader.decode()
            transmitTime = try reader.decode()
            receiveBytes = try reader.decode()
            receiveTime = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(
                connectionHandle,
                transmitBytes,
                transmitTime,
                receiveBytes,
                receiveTime
            )
        }
    }

    /// The public key of a new key pair, or the failure to generate one (Vol 4, Part E, 7.7.65.8).
    package struct LEReadLocalP256PublicKeyComplete: HCIParameters {
        package var status: ErrorCode
        package var publicKey: P256PublicKey

        package init(status: ErrorCode, publicKey: P256PublicKey) {
            self.status = status
            self.publicKey = publicKey
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            publicKey = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(status, publicKey)
        }
    }

    /// The shared secret, or the failure to compute it (Vol 4, Part E, 7.7.65.9).
    package struct LEGenerateDHKeyComplete: HCIParameters {
        package var status: ErrorCode
        package var secret: SharedSecret256

        package init(status: ErrorCode, secret: SharedSecret256) {
            self.status = status
            self.secret = secret
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            secret = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(status, secret)
        }
    }

    /// A change of the PHYs of a link, or the end of a request without a change (Vol 4, Part E,
    /// 7.7.65.12).
    package struct LEPHYUpdateComplete: HCIParameters {
        package var status: ErrorCode
        package var connectionHandle: ConnectionHandle
        package var transmit: PHY
        package var receive: PHY

        package init(
            status: ErrorCode,
            connectionHandle: ConnectionHandle,
            transmit: PHY,
            receive: PHY
        ) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.transmit = transmit
            self.receive = receive
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            connectionHandle = try reader.decode()
            transmit = try reader.decode()
            receive = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(status, connectionHandle, transmit, receive)
        }
    }

    /// The channel selection algorithm of a new link (Vol 4, Part E, 7.7.65.20).
    package struct LEChannelSelectionAlgorithm: HCIParameters {
        package var connectionHandle: ConnectionHandle
        /// The algorithm: 0 for the first, 1 for the second.
        package var algorithm: UInt8

        package init(connectionHandle: ConnectionHandle, algorithm: UInt8) {
            self.connectionHandle = connectionHandle
            self.algorithm = algorithm
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            algorithm = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connectionHandle, algorithm)
        }
    }
}
