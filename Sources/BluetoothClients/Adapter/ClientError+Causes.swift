// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Apple does not publish the meaning of its errors. This table follows the known cases
// (docs/COREBLUETOOTH.md, 5.2).
extension ClientError {
    /// Creates the error that an application gets when a link fails.
    init(_ error: PortError) {
        self = .failed(Self.code(of: error))
    }

    /// Returns the code for a failure of the port.
    package static func code(of error: PortError) -> Code {
        switch error {
        case .linkEnded(let reason), .refused(let reason): code(of: reason)
        case .notEncrypted: .encryptionTimedOut
        case .tooManyBonds: .tooManyBonds
        case .timedOut: .connectionTimeout
        case .unavailable: .notConnected
        case .unsupported: .operationNotSupported
        case .tooManyRequests: .connectionLimitReached
        case .outOfSpace: .outOfSpace
        case .unanswered, .other: .unknown
        }
    }

    private static func code(of reason: PortError.Reason) -> Code {
        switch reason {
        case .timeout: .connectionTimeout
        case .endedByPeer: .peripheralDisconnected
        case .notEstablished: .connectionFailed
        case .keyMissing: .peerRemovedPairingInformation
        case .notEncrypted: .encryptionTimedOut
        case .limitReached: .connectionLimitReached
        case .unknown: .unknown
        }
    }
}

/// The error that an application gets for a failed request.
enum ClientFailure {
    /// Returns the error that the delegate gets. `nil` if the link ended: the manager's delegate
    /// gets the disconnection, and the request is not answered.
    static func error(_ error: any Error) -> ClientError? {
        switch error {
        case let failure as GATT.Failure: self.error(failure)
        case let failure as PortError: self.error(failure)
        default: ClientError.failed(.unknown)
        }
    }

    private static func error(_ failure: GATT.Failure) -> ClientError? {
        switch failure {
        case .attribute(let code, _): .attribute(code)
        case .timedOut, .bearerClosed, .cancelled: nil
        case .queueFull, .tooManyAttributes: ClientError.failed(.outOfSpace)
        case .valueTooLong: ClientError.attribute(.invalidAttributeValueLength)
        case .invalidOperation: ClientError.failed(.invalidParameters)
        case .protocolViolation, .echoMismatch: ClientError.failed(.unknown)
        }
    }

    /// Returns the error for a failure of the port. Some failures have another code than for a
    /// link: a limit becomes `outOfSpace`, a missing answer `connectionTimeout`, and a refusal
    /// `unknown`.
    private static func error(_ failure: PortError) -> ClientError? {
        switch failure {
        case .linkEnded, .unavailable: nil
        case .tooManyRequests, .tooManyBonds: ClientError.failed(.outOfSpace)
        case .unanswered: ClientError.failed(.connectionTimeout)
        case .refused: ClientError.failed(.unknown)
        case .notEncrypted, .unsupported, .timedOut, .outOfSpace, .other: ClientError(failure)
        }
    }
}

extension ClientError {
    /// Returns the error that an application gets for a channel that was not opened or a PSM that
    /// was not published.
    ///
    /// Apple does not document these errors. It is only known that opening a channel with an
    /// unknown PSM gives an error.
    static func ofChannel(_ error: any Error) -> ClientError {
        switch error {
        case let error as PortError: ClientError(error)
        case let failure as L2CAP.Failure: ofChannel(failure)
        default: ClientError.failed(.unknown)
        }
    }

    private static func ofChannel(_ failure: L2CAP.Failure) -> ClientError {
        switch failure {
        case .refused(let result): ofRefusal(result)
        case .notSupported: ClientError.failed(.operationNotSupported)
        case .timedOut: ClientError.failed(.connectionTimeout)
        case .noRoom, .alreadyListening: ClientError.failed(.outOfSpace)
        case .invalidParameters, .tooLong: ClientError.failed(.invalidParameters)
        case .closed: ClientError.failed(.operationCancelled)
        case .closedByPeer: ClientError.failed(.peripheralDisconnected)
        case .reconfigurationRefused, .malformedAnswer, .violated:
            ClientError.failed(.connectionFailed)
        }
    }

    /// Returns the error for a refused channel. Security errors of L2CAP become the errors of ATT
    /// with the same meaning.
    private static func ofRefusal(_ result: L2CAP.ConnectionResult) -> ClientError {
        switch result {
        case .spsmNotSupported: ClientError.failed(.operationNotSupported)
        case .noResources: ClientError.failed(.outOfSpace)
        case .insufficientAuthentication: ClientError.attribute(.insufficientAuthentication)
        case .insufficientAuthorization: ClientError.attribute(.insufficientAuthorization)
        case .insufficientKeySize: ClientError.attribute(.encryptionKeySizeTooShort)
        case .insufficientEncryption: ClientError.attribute(.insufficientEncryption)
        default: ClientError.failed(.connectionFailed)
        }
    }
}

extension ChannelEnd {
    /// The error of the output stream. Every end of the channel is an error for this stream,
    /// because written bytes are no longer sent.
    var code: ClientError.Code {
        switch self {
        case .closedByPeer: .peripheralDisconnected
        case .closedHere: .notConnected
        case .failed(let error): ClientError.code(of: error)
        }
    }
}
