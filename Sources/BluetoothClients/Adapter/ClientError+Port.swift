// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Apple does not publish the meaning of its errors. This table follows what is known of them
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
