// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothHost

// Apple publishes no table of what its errors mean; this is the best that is known
// (docs/COREBLUETOOTH.md, 5.2).
extension CBError {
    /// What an application is told of a failure of a link.
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
        case .notificationsOverflowed: .outOfSpace
        case .commandTimedOut, .malformedAnswer, .busy, .notSubscribed, .notPermitted,
            .outOfSync, .notBonded:
            .unknown
        }
    }

    private static func code(of reason: HCI.ErrorCode) -> Code {
        switch reason {
        // A link that no manager let go of the host ends when the peer does not answer.
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
