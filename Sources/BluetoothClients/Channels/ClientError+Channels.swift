// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

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

    /// Security errors of L2CAP become the errors of ATT with the same meaning.
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
