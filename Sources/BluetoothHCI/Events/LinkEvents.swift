// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The end of a link, or the failure of a disconnection (Vol 4, Part E, 7.7.5).
    package struct DisconnectionComplete: HCIParameters {
        package var status: ErrorCode
        package var connectionHandle: ConnectionHandle
        package var reason: ErrorCode

        package init(status: ErrorCode, connectionHandle: ConnectionHandle, reason: ErrorCode) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.reason = reason
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            connectionHandle = try reader.decode()
            reason = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(status, connectionHandle, reason)
        }
    }

    /// The start, end or failed start of a link's encryption (Vol 4, Part E, 7.7.8).
    package struct EncryptionChange: HCIParameters {
        package var status: ErrorCode
        package var connectionHandle: ConnectionHandle
        package var encryption: EncryptionState

        package init(
            status: ErrorCode,
            connectionHandle: ConnectionHandle,
            encryption: EncryptionState
        ) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.encryption = encryption
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            connectionHandle = try reader.decode()
            encryption = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(status, connectionHandle, encryption)
        }
    }

    /// The start, end or failed start of a link's encryption, with the key size (Vol 4, Part E,
    /// 7.7.8).
    package struct EncryptionChangeV2: HCIParameters {
        package var status: ErrorCode
        package var connectionHandle: ConnectionHandle
        package var encryption: EncryptionState
        /// The key size in bytes.
        package var keySize: UInt8

        package init(
            status: ErrorCode,
            connectionHandle: ConnectionHandle,
            encryption: EncryptionState,
            keySize: UInt8
        ) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.encryption = encryption
            self.keySize = keySize
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            connectionHandle = try reader.decode()
            encryption = try reader.decode()
            keySize = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(status, connectionHandle, encryption, keySize)
        }
    }

    /// The completed refresh of a link's encryption key, or its failure (Vol 4, Part E, 7.7.39).
    package struct EncryptionKeyRefreshComplete: HCIParameters {
        package var status: ErrorCode
        package var connectionHandle: ConnectionHandle

        package init(status: ErrorCode, connectionHandle: ConnectionHandle) {
            self.status = status
            self.connectionHandle = connectionHandle
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            connectionHandle = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(status, connectionHandle)
        }
    }

    /// The version of the peer's controller, or the failure to read it (Vol 4, Part E, 7.7.12).
    package struct ReadRemoteVersionInformationComplete: HCIParameters {
        package var status: ErrorCode
        package var connectionHandle: ConnectionHandle
        package var version: Version
        package var company: UInt16
        package var subversion: UInt16

        package init(
            status: ErrorCode,
            connectionHandle: ConnectionHandle,
            version: Version,
            company: UInt16,
            subversion: UInt16
        ) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.version = version
            self.company = company
            self.subversion = subversion
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            connectionHandle = try reader.decode()
            version = try reader.decode()
            company = try reader.decode()
            subversion = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(status, connectionHandle, version, company, subversion)
        }
    }

    /// The expiry of a link's authenticated payload timeout: no authenticated packet arrived on the
    /// encrypted link in that time (Vol 4, Part E, 7.7.75).
    package struct AuthenticatedPayloadTimeoutExpired: HCIParameters, ConnectionHandleParameters {
        package var connectionHandle: ConnectionHandle

        package init(connectionHandle: ConnectionHandle) {
            self.connectionHandle = connectionHandle
        }
    }
}
