// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// An error that an application gets for a link, a request, or a call of the API.
package enum ClientError: Error, Hashable, Sendable {
    case failed(Code)
    /// The peer's server refused a request.
    case attribute(ATT.ErrorCode)

    /// The codes of all errors except the refusal of a request by a server. The numbers are those
    /// of Core Bluetooth, because applications get them.
    package enum Code: Int, CaseIterable, Sendable {
        /// An error without a code of its own.
        case unknown = 0
        /// An argument is not valid.
        case invalidParameters = 1
        /// An attribute is no longer valid.
        case invalidHandle = 2
        /// The peer is not connected.
        case notConnected = 3
        /// There is no space left.
        case outOfSpace = 4
        /// The operation was canceled.
        case operationCancelled = 5
        /// The peer stopped answering.
        case connectionTimeout = 6
        /// The peer ended the link or the channel.
        case peripheralDisconnected = 7
        /// The system reserves this UUID.
        case uuidNotAllowed = 8
        /// The client is already advertising.
        case alreadyAdvertising = 9
        /// The link could not be established.
        case connectionFailed = 10
        /// The adapter cannot have another link.
        case connectionLimitReached = 11
        /// This host or its adapter does not support the operation.
        case operationNotSupported = 13
        /// The peer deleted its bond with this host.
        case peerRemovedPairingInformation = 14
        /// The link could not be encrypted.
        case encryptionTimedOut = 15
        /// The limit of bonds is reached.
        case tooManyBonds = 16
    }
}

// The texts, which are those of Core Bluetooth.
extension ClientError {
    /// The text of the error.
    package var text: String {
        switch self {
        case .failed(let code): code.text
        case .attribute(let code): code.text
        }
    }
}

extension ClientError.Code {
    /// The text of the error.
    package var text: String {
        switch self {
        case .unknown: "Unknown error."
        case .invalidParameters: "One or more parameters were invalid."
        case .invalidHandle: "The handle is invalid."
        case .notConnected: "The device is not connected."
        case .outOfSpace: "There is no space left."
        case .operationCancelled: "The operation was cancelled."
        case .connectionTimeout: "The connection has timed out unexpectedly."
        case .peripheralDisconnected: "The specified device has disconnected from us."
        case .uuidNotAllowed: "The specified UUID is not allowed for this operation."
        case .alreadyAdvertising: "Advertising has already started."
        case .connectionFailed: "The connection has failed unexpectedly."
        case .connectionLimitReached: "The system has reached the limit of connections."
        case .operationNotSupported: "The operation is not supported."
        case .peerRemovedPairingInformation: "Peer removed pairing information"
        case .encryptionTimedOut:
            "Failed to encrypt the connection, the connection has timed out unexpectedly."
        case .tooManyBonds: "There are too many paired devices."
        }
    }
}

extension ATT.ErrorCode {
    /// The text of the error.
    package var text: String { Self.texts[rawValue] ?? "Unknown ATT error." }

    private static let texts: [UInt8: String] = [
        0x00: "Success.",
        0x01: "The handle is invalid.",
        0x02: "Reading is not permitted.",
        0x03: "Writing is not permitted.",
        0x04: "The command is invalid.",
        0x05: "Authentication is insufficient.",
        0x06: "The request is not supported.",
        0x07: "The offset is invalid.",
        0x08: "Authorization is insufficient.",
        0x09: "The prepare queue is full.",
        0x0A: "The attribute could not be found.",
        0x0B: "The attribute is not long.",
        0x0C: "The encryption key size is insufficient.",
        0x0D: "The value's length is invalid.",
        0x0E: "Unlikely error.",
        0x0F: "Encryption is insufficient.",
        0x10: "The group type is not supported.",
        0x11: "Resources are insufficient.",
    ]
}
