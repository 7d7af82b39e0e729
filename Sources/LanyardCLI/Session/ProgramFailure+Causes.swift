// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost

extension ProgramFailure {
    /// What became of a step that ended with `error`, in words, with what to do next.
    init(_ error: any Error, during step: String) {
        switch error {
        case let failure as ProgramFailure: self = failure
        case is CancellationError: self = .interrupted
        case let failure as GATT.Failure: self.init(failure, during: step)
        case let error as HostError: self.init(error, during: step)
        case let failure as L2CAP.Failure: self.init(failure, during: step)
        case let refusal as SecurityRefusal: self.init(refusal.pairing, during: step)
        case let failure as Pairing.Failure: self.init(failure, during: step)
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
        case .controller, .commandTimedOut, .unsupported:
            self.init(
                .adapterUnavailable,
                "\(step): \(error)",
                advice: "try another adapter, or record it with --trace FILE"
            )
        case .notSubscribable:
            self.init(.refused, "\(step): \(error)", advice: "explore shows what it can do")
        case .bondLost:
            self.init(
                .refused,
                "\(step): \(error)",
                advice: "if it was reset, 'lanyard pair --again' pairs anew; if not, beware"
            )
        case .tooManyBonds:
            self.init(.refused, "\(step): \(error)", advice: "'lanyard bonds remove' makes some")
        case .notSubscribed, .notPermitted, .notBonded, .notEncrypted, .encryptionFailed:
            self.init(.refused, "\(step): \(error)")
        case .notificationsOverflowed:
            self.init(.inputOutput, "\(step): \(error)", advice: "write the output faster")
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

    /// The adapter cannot be used. What a transport says has its advice in it.
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

    /// What a person can do about a refusal (Vol 3, Part F, 3.4.1.1).
    private static func advice(for code: ATT.ErrorCode) -> String {
        switch code {
        case .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort:
            "it wants a device that is paired well enough: see 'lanyard pair --help'"
        case .insufficientAuthorization: "allow it on the accessory"
        case .readNotPermitted, .writeNotPermitted, .requestNotSupported:
            "explore shows what each characteristic can do"
        case .invalidAttributeValueLength, .valueNotAllowed, .outOfRange:
            "give another value"
        case .databaseOutOfSync: "its services have changed: explore it again"
        default: "see the accessory's documentation"
        }
    }

    static let tryAgain = "check that the accessory is on and in range, and try again"
}
