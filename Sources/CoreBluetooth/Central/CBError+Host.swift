// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothHost

// Apple does not publish the meaning of its errors. This table follows what is known of them
// (docs/COREBLUETOOTH.md, 5.2).
extension CBError {
    /// Makes the error that an application gets when a link fails.
    init(_ error: HostError) {
        self.init(delivering: Self.code(of: error))
    }

    private static func code(of error: HostError) -> Code {
        switch error {
        case .disconnected(let reason), .failedToConnect(let reason), .controller(let reason):
            code(of: reason)
        case .encryptionFailed(let reason):
            reason == .pinOrKeyMissing ? .peerRemovedPairingInformation : .encryptionTimedOut
        case .bondLost: .peerRemovedPairingInformation
        case .notEncrypted: .encryptionTimedOut
        case .tooManyBonds: .tooManyLEPairedDevices
        case .timedOut: .connectionTimeout
        case .alreadyConnecting: .connectionFailed
        case .adapter, .closed: .notConnected
        case .unsupported, .notSubscribable: .operationNotSupported
        case .tooManyRequests: .connectionLimitReached
        case .notificationsOverflowed, .bondNotKept: .outOfSpace
        case .commandTimedOut, .malformedAnswer, .busy, .notSubscribed, .notPermitted,
            .outOfSync, .notBonded:
            .unknown
        }
    }

    private static func code(of reason: HCI.ErrorCode) -> Code {
        switch reason {
        // `connectionTerminatedByLocalHost` is a timeout here: if no manager ended the link, the
        // host ended it because the peer did not answer.
        case .connectionTimeout, .linkLayerResponseTimeout, .connectionTerminatedByLocalHost:
            .connectionTimeout
        case .remoteUserTerminatedConnection, .remoteDeviceLowResources, .remoteDevicePowerOff:
            .peripheralDisconnected
        case .connectionFailedToBeEstablished: .connectionFailed
        case .pinOrKeyMissing: .peerRemovedPairingInformation
        case .messageIntegrityFailure: .encryptionTimedOut
        case .connectionLimitExceeded, .memoryCapacityExceeded, .limitReached:
            .connectionLimitReached
        default: .unknown
        }
    }
}
