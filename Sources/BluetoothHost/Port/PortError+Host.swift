// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothPort
import BluetoothSMP

/// Returns the port's error for an error of the host. For a `SecurityRefusal`, it is the peer's
/// refusal of the operation, without the failed pairing.
func portError(_ error: any Error) -> any Error {
    switch error {
    case let error as HostError: PortError(error)
    case is CancellationError, Pairing.Failure.linkEnded: PortError.linkEnded(.unknown)
    case let refusal as SecurityRefusal:
        switch refusal.answer {
        case .attribute(let code, let handle): GATT.Failure.attribute(code, handle: handle)
        case .channel(let result): L2CAP.Failure.refused(result)
        }
    default: error
    }
}

/// Returns the port's error for a failed request to a link that continues. An operation on an
/// enhanced bearer fails if only the bearer ends. Its error must not announce the end of the link.
func portErrorOfOpenLink(_ error: any Error) -> any Error {
    switch error {
    case GATT.Failure.timedOut, GATT.Failure.bearerClosed: PortError.timedOut
    default: portError(error)
    }
}

extension PortError {
    package init(_ error: HostError) {
        self =
            switch error {
            case .adapter, .closed: .unavailable
            case .disconnected(let reason): .linkEnded(Reason(reason))
            case .encryptionFailed(let reason):
                .linkEnded(reason == .pinOrKeyMissing ? .keyMissing : .notEncrypted)
            case .bondLost: .linkEnded(.keyMissing)
            case .failedToConnect(let reason), .controller(let reason): .refused(Reason(reason))
            case .alreadyConnecting: .refused(.notEstablished)
            case .notEncrypted: .notEncrypted
            case .tooManyBonds: .tooManyBonds
            case .timedOut: .timedOut
            case .commandTimedOut: .unanswered
            case .unsupported, .notSubscribable: .unsupported([])
            case .tooManyRequests: .tooManyRequests
            case .notificationsOverflowed, .bondNotStored: .outOfSpace
            case .malformedAnswer, .busy, .notSubscribed, .notPermitted, .outOfSync, .notBonded:
                .other("\(error)")
            }
    }
}

extension PortError.Reason {
    fileprivate init(_ reason: HCI.ErrorCode) {
        self =
            switch reason {
            // `connectionTerminatedByLocalHost` is a timeout here: if the application did not end
            // the link, the host ended it because the peer did not answer.
            case .connectionTimeout, .linkLayerResponseTimeout, .connectionTerminatedByLocalHost:
                .timeout
            case .remoteUserTerminatedConnection, .remoteDeviceLowResources, .remoteDevicePowerOff:
                .endedByPeer
            case .connectionFailedToBeEstablished: .notEstablished
            case .pinOrKeyMissing: .keyMissing
            case .messageIntegrityFailure: .notEncrypted
            case .connectionLimitExceeded, .memoryCapacityExceeded, .limitReached: .limitReached
            default: .unknown
            }
    }
}
