// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothPort

extension ProgramFailure {
    /// Creates the failure of a step that ended with `error`. A `ProgramFailure` stays as it is.
    init(_ error: any Error, during step: String) {
        switch error {
        case let failure as ProgramFailure: self = failure
        case is CancellationError: self = .interrupted
        case let failure as GATT.Failure: self.init(failure, during: step)
        case let error as HostError: self.init(error, during: step)
        case let failure as L2CAP.Failure: self.init(failure, during: step)
        case let error as PortError: self.init(error, during: step)
        case let refusal as SecurityRefusal: self.init(refusal.pairing, during: step)
        case let failure as Pairing.Failure: self.init(failure, during: step)
        // The error of an operation that the end of the command canceled.
        case _ where Task.isCancelled: self = .interrupted
        default: self.init(.internalError, "\(step): \(error)", advice: "please report this")
        }
    }

    private init(_ failure: GATT.Failure, during step: String) {
        switch failure {
        case .attribute(let code, _):
            self.init(.refused, "\(step): refused: \(code)", advice: Self.advice(for: code))
        case .timedOut:
            self.init(.timedOut, "\(step): \(failure)", advice: Self.tryAgain)
        case .bearerClosed:
            self.init(.inputOutput, "\(step): \(failure)", advice: Self.tryAgain)
        case .cancelled: self = .interrupted
        case .protocolViolation, .echoMismatch, .tooManyAttributes:
            self.init(
                .badData,
                "\(step): \(failure)",
                advice: "record it with --trace FILE and show it to the accessory's maker"
            )
        case .valueTooLong(let limit):
            self.init(.usage, "\(step): \(failure)", advice: "give at most \(limit)")
        case .queueFull, .invalidOperation:
            self.init(.internalError, "\(step): \(failure)", advice: "please report this")
        }
    }

    private init(_ error: HostError, during step: String) {
        switch error {
        case .adapter(let failure): self.init(adapter: failure)
        case .timedOut:
            self.init(.timedOut, "\(step): \(error)", advice: Self.tryAgain)
        case .disconnected, .failedToConnect:
            self.init(.inputOutput, "\(step): \(error)", advice: Self.tryAgain)
        case .busy, .alreadyConnecting, .tooManyRequests:
            self.init(.refused, "\(step): \(error)", advice: "wait until it is done, and try again")
        case .controller, .commandTimedOut, .malformedAnswer, .unsupported:
            self.init(
                .adapterUnavailable,
                "\(step): \(error)",
                advice: "try another adapter, or record it with --trace FILE"
            )
        case .notSubscribable:
            self.init(
                .refused,
                "\(step): \(error)",
                advice: "'lanyard explore' shows its properties"
            )
        case .bondLost:
            self.init(
                .refused,
                "\(step): \(error)",
                advice:
                    "if it was reset, use 'lanyard pair --again'; if not, another device may use its address"
            )
        case .tooManyBonds:
            self.init(.refused, "\(step): \(error)", advice: "use 'lanyard bonds remove'")
        case .bondNotStored:
            self.init(
                .inputOutput,
                "\(step): \(TerminalText.escape(error.description))",
                advice: "remove a bond and pair again; --no-bond pairs for this link only"
            )
        case .notSubscribed, .notPermitted, .notBonded, .notEncrypted, .encryptionFailed:
            self.init(.refused, "\(step): \(error)")
        case .notificationsOverflowed:
            self.init(.inputOutput, "\(step): \(error)", advice: "read the output faster")
        default:
            self.init(.internalError, "\(step): \(error)", advice: "please report this")
        }
    }

    private init(_ failure: L2CAP.Failure, during step: String) {
        switch failure {
        case .refused(.spsmNotSupported):
            self.init(.refused, "\(step): \(failure)", advice: "give another --psm")
        case .refused, .reconfigurationRefused, .notSupported, .alreadyListening:
            self.init(.refused, "\(step): \(failure)")
        case .timedOut: self.init(.timedOut, "\(step): \(failure)", advice: Self.tryAgain)
        case .closed, .closedByPeer:
            self.init(.inputOutput, "\(step): \(failure)", advice: Self.tryAgain)
        case .malformedAnswer, .violated:
            self.init(
                .badData,
                "\(step): \(failure)",
                advice: "record it with --trace FILE and show it to the accessory's maker"
            )
        case .noRoom, .tooLong, .invalidParameters:
            self.init(.internalError, "\(step): \(failure)", advice: "please report this")
        }
    }

    /// Creates the failure for an adapter that cannot be used. The transport's description includes
    /// the advice.
    init(adapter failure: AdapterFailure) {
        let happened = "the adapter cannot be used: \(TerminalText.escape(failure.description))"
        if case .transport = failure {
            self.init(.adapterUnavailable, happened)
        } else {
            self.init(
                .adapterUnavailable,
                happened,
                advice: "restart the controller and try again"
            )
        }
    }

    /// Returns the advice after an ATT error (Vol 3, Part F, 3.4.1.1).
    private static func advice(for code: ATT.ErrorCode) -> String {
        switch code {
        case .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort:
            "it needs a bond with more protection: see 'lanyard pair --help'"
        case .insufficientAuthorization: "allow it on the accessory"
        case .readNotPermitted, .writeNotPermitted, .requestNotSupported:
            "'lanyard explore' shows the properties of each characteristic"
        case .invalidAttributeValueLength, .valueNotAllowed, .outOfRange:
            "give another value"
        case .databaseOutOfSync: "its services have changed: use 'lanyard explore' again"
        default: "see the accessory's documentation"
        }
    }

    static let tryAgain = "check that the accessory is on and in range, and try again"

    /// Returns the failure of a connection to a peer that has lost its bond, after a person has
    /// declined to pair again.
    static func declinedAgain(_ peer: String) -> ProgramFailure {
        ProgramFailure(
            .refused,
            "connecting to \(peer): pairing again was declined here, and the bond stays",
            advice: "use 'lanyard pair' to replace it, or 'lanyard bonds remove' to remove it"
        )
    }
}

extension ProgramFailure {
    /// Creates the failure of a pairing.
    init(_ failure: Pairing.Failure, during step: String) {
        let happened = "\(step): \(failure)"
        switch failure {
        case .refused(let reason):
            self.init(.refused, happened, advice: reason.advice(isOurs: true))
        case .refusedByPeer(let reason):
            self.init(
                .refused,
                "\(step): refused by the accessory: \(reason)",
                advice: reason.advice(isOurs: false)
            )
        case .declined: self.init(.refused, happened)
        case .timedOut: self.init(.timedOut, happened, advice: "start the pairing again")
        case .tooSoon(let wait):
            let advice = "try again in \(SecondsText.describe(wait))"
            self.init(.refused, happened, advice: advice)
        case .busy: self.init(.refused, happened, advice: "wait until that pairing ends")
        case .notEncrypted:
            self.init(
                .refused,
                happened,
                advice: "record it with --trace FILE and show it to the accessory's maker"
            )
        case .linkEnded: self.init(.inputOutput, happened, advice: Self.tryAgain)
        case .cancelled: self = .interrupted
        }
    }
}

extension Pairing.FailureReason {
    /// Returns the advice after a failed pairing.
    fileprivate func advice(isOurs: Bool) -> String {
        switch self {
        case .passkeyEntryFailed: "enter the digits within 30 seconds"
        case .outOfBandDataNotAvailable:
            "use --oob FILE, or --make-oob FILE if the accessory needs data of this side"
        case .authenticationRequirements where isOurs:
            "set the capability with --io; --legacy allows legacy pairing"
        case .authenticationRequirements: "set the capability with --io"
        case .confirmValueFailed, .dhKeyCheckFailed:
            "check the digits and try again; if they were right, there may be a man in the middle"
        case .numericComparisonFailed: "if they differed, there may be a man in the middle"
        case .pairingNotSupported: "allow pairing on the accessory, usually with a button"
        case .encryptionKeySize: "--min-key-size allows shorter keys"
        case .repeatedAttempts: "wait a little and try again"
        default: "see the accessory's documentation"
        }
    }
}
