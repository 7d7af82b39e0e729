// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

extension CBError {
    /// Returns the error that an application gets for a channel that was not opened or a PSM that
    /// was not published.
    ///
    /// Apple does not document these errors. It is only known that opening a channel with an
    /// unknown PSM gives an error.
    static func ofChannel(_ error: any Error) -> any Error {
        switch error {
        case let error as PortError: CBError(delivering: CBError(error).code)
        case let failure as L2CAP.Failure: ofChannel(failure)
        default: CBError(delivering: .unknown)
        }
    }

    private static func ofChannel(_ failure: L2CAP.Failure) -> any Error {
        switch failure {
        case .refused(let result): ofRefusal(result)
        case .notSupported: CBError(delivering: .operationNotSupported)
        case .timedOut: CBError(delivering: .connectionTimeout)
        case .noRoom, .alreadyListening: CBError(delivering: .outOfSpace)
        case .invalidParameters, .tooLong: CBError(delivering: .invalidParameters)
        case .closed: CBError(delivering: .operationCancelled)
        case .closedByPeer: CBError(delivering: .peripheralDisconnected)
        case .reconfigurationRefused, .malformedAnswer, .violated:
            CBError(delivering: .connectionFailed)
        }
    }

    /// Security errors of L2CAP become the errors of ATT with the same meaning.
    private static func ofRefusal(_ result: L2CAP.ConnectionResult) -> any Error {
        switch result {
        case .spsmNotSupported: CBError(delivering: .operationNotSupported)
        case .noResources: CBError(delivering: .outOfSpace)
        case .insufficientAuthentication: CBATTError(.insufficientAuthentication)
        case .insufficientAuthorization: CBATTError(.insufficientAuthorization)
        case .insufficientKeySize: CBATTError(.insufficientEncryptionKeySize)
        case .insufficientEncryption: CBATTError(.insufficientEncryption)
        default: CBError(delivering: .connectionFailed)
        }
    }
}
