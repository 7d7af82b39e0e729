// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// Something `CentralScheduler` has the controller do: a command before it is put in the words that
/// this controller understands (see `CommandDialect`).
package enum ControllerOrder: Hashable, Sendable {
    case setScanParameters(ScanParameters)
    case enableScan(filtersDuplicates: Bool)
    case disableScan
    case clearAcceptList
    case addToAcceptList(DeviceAddress)
    case removeFromAcceptList(DeviceAddress)
    case createConnection(InitiationTarget, ConnectParameters)
    case cancelConnection
}

extension ControllerOrder {
    var editsAcceptList: Bool {
        switch self {
        case .clearAcceptList, .addToAcceptList, .removeFromAcceptList: true
        default: false
        }
    }
}

/// For whom the controller listens while it initiates.
package enum InitiationTarget: Hashable, Sendable {
    /// One device.
    case peer(DeviceAddress)
    /// Whichever device of the Filter Accept List is heard first.
    case acceptList
}

/// One issue of an order. Numbered, so that an answer which comes after a reset, or twice, is not
/// taken for the answer to something newer.
package struct Step: Hashable, Sendable {
    package let number: UInt64
    package let order: ControllerOrder
}

/// How the controller answered an order.
enum OrderOutcome: Equatable {
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

    /// The controller is in a state in which the command makes no sense: it and we disagree about
    /// what it is doing (Vol 1, Part F, 2.12).
    static let disallowed = OrderOutcome.refused(.commandDisallowed)

    /// What callers are told.
    var failure: CentralFailure {
        if case .refused(let code) = self { .refused(code) } else { .unanswered }
    }
}

/// Why a connection or a scan that was asked for did not come about.
package enum CentralFailure: Error, Hashable, Sendable {
    /// The controller said no, or reported that the attempt failed.
    case refused(HCI.ErrorCode)
    /// The controller did not answer a command.
    case unanswered
    /// The caller withdrew the request.
    case cancelled
    /// The controller was reset or went away.
    case controllerReset
    /// `CentralScheduler.requestLimit` requests wait already.
    case tooManyRequests
}

extension HCI.ErrorCode {
    /// Whether the same command may well succeed later: the controller is busy or full, or the
    /// radio was unlucky.
    var isTransient: Bool {
        switch self {
        case .commandDisallowed, .memoryCapacityExceeded, .connectionLimitExceeded,
            .connectionAlreadyExists, .rejectedForLimitedResources,
            .connectionTimeout, .unspecifiedError, .controllerBusy,
            .connectionFailedToBeEstablished, .unknownConnectionIdentifier:
            true
        default: false
        }
    }
}
