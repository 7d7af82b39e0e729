// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothL2CAP
import BluetoothSMP
import CoreBluetoothEnumerations

/// The error that an application gets for a failed request.
enum ClientFailure {
    /// Returns the error that the delegate gets. `nil` if the link ended: the manager's delegate
    /// gets the disconnection, and the request is not answered.
    static func error(_ error: any Error) -> (any Error)? {
        switch error {
        case let failure as GATT.Failure: self.error(failure)
        case let failure as HostError: self.error(failure)
        case is CancellationError, Pairing.Failure.linkEnded: nil
        case let refusal as SecurityRefusal: refusal.delivered
        default: CBError(delivering: .unknown)
        }
    }

    private static func error(_ failure: GATT.Failure) -> (any Error)? {
        switch failure {
        case .attribute(let code, _): CBATTError(code)
        case .timedOut, .bearerClosed, .cancelled: nil
        case .queueFull, .tooManyAttributes: CBError(delivering: .outOfSpace)
        case .valueTooLong: CBATTError(.invalidAttributeValueLength)
        case .invalidOperation: CBError(delivering: .invalidParameters)
        case .protocolViolation, .echoMismatch: CBError(delivering: .unknown)
        }
    }

    private static func error(_ failure: HostError) -> (any Error)? {
        switch failure {
        case .disconnected, .closed, .adapter, .bondLost, .encryptionFailed: nil
        case .tooManyRequests, .tooManyBonds, .bondNotKept: CBError(delivering: .outOfSpace)
        case .notEncrypted: CBError(delivering: .encryptionTimedOut)
        case .unsupported: CBError(delivering: .operationNotSupported)
        case .timedOut, .commandTimedOut: CBError(delivering: .connectionTimeout)
        default: CBError(delivering: .unknown)
        }
    }
}

extension SecurityRefusal {
    /// The error for a failed pairing: the peripheral's refusal that made the pairing necessary.
    var delivered: any Error {
        switch answer {
        case .attribute(let code, _): CBATTError(code)
        case .channel(let result): CBError.ofChannel(L2CAP.Failure.refused(result))
        }
    }
}

extension CBATTError {
    /// Makes the error that a server answered, whether or not its code has a name.
    init(_ code: ATT.ErrorCode) {
        self.init(delivering: Code(rawValue: Int(code.rawValue)) ?? .unlikelyError)
    }
}
