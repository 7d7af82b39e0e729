// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A link ended, or a disconnection failed (Vol 4, Part E, 7.7.5).
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

    /// Encryption of a link started, ended or failed to start (Vol 4, Part E, 7.7.8).
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

    /// Encryption of a link started, ended or failed to start. The event includes the key size (Vol
    /// 4, Part E, 7.7.8).
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

    /// An encrypted link has a new key, or the key refresh failed (Vol 4, Part E, 7.7.39).
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

    /// The controller read the version of the peer's controller, or failed to (Vol 4, Part E,
    /// 7.7.12).
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

    /// No authenticated packet arrived on an encrypted link before the timeout (Vol 4, Part E,
    /// 7.7.75).
    package struct AuthenticatedPayloadTimeoutExpired: HCIParameters, NamesLink {
        package var connectionHandle: ConnectionHandle

        package init(connectionHandle: ConnectionHandle) {
            self.connectionHandle = connectionHandle
        }
    }
}
