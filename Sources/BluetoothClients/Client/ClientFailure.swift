// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The error that an application gets for a failed request.
enum ClientFailure {
    /// Returns the error that the delegate gets; `nil` if the link ended: the manager's delegate
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

    private static func error(_ failure: PortError) -> ClientError? {
        switch failure {
        case .linkEnded, .unavailable: nil
        case .tooManyRequests, .tooManyBonds, .outOfSpace: ClientError.failed(.outOfSpace)
        case .notEncrypted: ClientError.failed(.encryptionTimedOut)
        case .unsupported: ClientError.failed(.operationNotSupported)
        case .timedOut, .unanswered: ClientError.failed(.connectionTimeout)
        case .refused, .other: ClientError.failed(.unknown)
        }
    }
}
