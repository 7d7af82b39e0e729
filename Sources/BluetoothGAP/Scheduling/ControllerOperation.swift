// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// An operation that `CentralScheduler` requests from the controller. `CommandDialect` translates
/// it into a command that the controller supports.
package enum ControllerOperation: Hashable, Sendable {
    case setScanParameters(ScanParameters)
    case enableScan(filtersDuplicates: Bool)
    case disableScan
    case clearAcceptList
    case addToAcceptList(DeviceAddress)
    case removeFromAcceptList(DeviceAddress)
    case createConnection(InitiationTarget, ConnectParameters)
    case cancelConnection
}

extension ControllerOperation {
    var editsAcceptList: Bool {
        switch self {
        case .clearAcceptList, .addToAcceptList, .removeFromAcceptList: true
        default: false
        }
    }
}

/// The devices for which the controller initiates.
package enum InitiationTarget: Hashable, Sendable {
    case peer(DeviceAddress)
    /// The first device of the Filter Accept List that the controller receives.
    case acceptList
}

/// One request for an operation. Its number distinguishes a late or repeated answer from the answer
/// to a later request.
package struct CentralStep: Hashable, Sendable {
    package let number: UInt64
    package let operation: ControllerOperation
}

/// The controller's answer to an operation.
enum OperationOutcome: Equatable {
    case accepted
    case refused(HCI.ErrorCode)
    case unanswered

    init(_ result: CommandResult) {
        switch result {
        case .complete(let parameters):
            self = parameters.first.map { Self(status: HCI.ErrorCode(rawValue: $0)) } ?? .unanswered
        case .status(let status): self = Self(status: status)
        case .timedOut, .discarded: self = .unanswered
        }
    }

    private init(status: HCI.ErrorCode) {
        self = status == .success ? .accepted : .refused(status)
    }

    /// The refusal of a command that is invalid in the controller's state. The host and the
    /// controller then disagree about that state (Vol 1, Part F, 2.12).
    static let disallowed = OperationOutcome.refused(.commandDisallowed)

    /// The failure that callers get.
    var failure: CentralFailure {
        if case .refused(let code) = self { .refused(code) } else { .unanswered }
    }
}

/// The reason why a requested connection or scan failed.
package enum CentralFailure: Error, Hashable, Sendable {
    /// The controller refused, or reported that the attempt failed.
    case refused(HCI.ErrorCode)
    /// The controller did not answer a command.
    case unanswered
    /// The caller canceled the request.
    case cancelled
    /// The controller was reset or lost.
    case controllerReset
    /// `CentralScheduler.requestLimit` requests wait already.
    case tooManyRequests
}

extension HCI.ErrorCode {
    /// Whether the same command may succeed later, because the controller is busy, or a packet was
    /// lost.
    var isTransient: Bool {
        switch self {
        case .commandDisallowed, .connectionAlreadyExists, .rejectedForLimitedResources,
            .connectionTimeout, .unspecifiedError, .controllerBusy,
            .connectionFailedToBeEstablished, .unknownConnectionIdentifier:
            true
        default: false
        }
    }

    /// Whether the controller has no room for another link.
    package var isLinkLimit: Bool {
        self == .connectionLimitExceeded || self == .memoryCapacityExceeded
    }
}

/// The pause of the controller's activities for a change that the controller forbids during them.
enum Pause: Sendable {
    case none
    /// The activities have to stop and have not all stopped yet.
    case asked
    case made
}
