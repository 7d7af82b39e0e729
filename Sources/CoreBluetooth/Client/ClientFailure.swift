// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import CoreBluetoothEnumerations

/// The error that an application gets for a failed request.
enum ClientFailure {
    /// Returns the error that the delegate gets. `nil` if the link ended: the manager's delegate
    /// gets the disconnection, and the request is not answered.
    static func error(_ error: any Error) -> (any Error)? {
        switch error {
        case let failure as GATT.Failure: self.error(failure)
        case let failure as PortError: self.error(failure)
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

    private static func error(_ failure: PortError) -> (any Error)? {
        switch failure {
        case .linkEnded, .unavailable: nil
        case .tooManyRequests, .tooManyBonds, .outOfSpace: CBError(delivering: .outOfSpace)
        case .notEncrypted: CBError(delivering: .encryptionTimedOut)
        case .unsupported: CBError(delivering: .operationNotSupported)
        case .timedOut, .unanswered: CBError(delivering: .connectionTimeout)
        case .refused, .other: CBError(delivering: .unknown)
        }
    }
}

extension CBATTError {
    /// Makes the error that a server answered, whether or not its code has a name.
    init(_ code: ATT.ErrorCode) {
        self.init(delivering: Code(rawValue: Int(code.rawValue)) ?? .unlikelyError)
    }
}
