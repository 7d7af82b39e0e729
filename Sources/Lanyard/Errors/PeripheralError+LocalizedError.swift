// SPDX-License-Identifier: Apache-2.0

import Foundation

extension PeripheralError: LocalizedError {
    /// A description of what happened, as a sentence.
    public var errorDescription: String? {
        switch self {
        case .unknownCharacteristic: "This device does not send this value."
        case .notSubscribed: "No device receives this value."
        case .tooLong: "The value is too long."
        case .tooManyUpdates: "Too many values are waiting to be sent."
        case .notDelivered: "The value did not arrive."
        case .closed: "The service has ended."
        case .cancelled: "The request was canceled."
        }
    }

    /// The reason, as a sentence; `nil` if nothing more is known.
    public var failureReason: String? {
        switch self {
        case .unknownCharacteristic(let identifier):
            "The app does not publish \(identifier.title), or does not permit subscriptions."
        case .notSubscribed(let identifier): "The other device did not ask for \(identifier.title)."
        case .tooLong(let length, let maximum):
            "It has \(length) bytes; the limit is \(maximum)."
        case .tooManyUpdates(let limit): "The limit is \(limit)."
        case .notDelivered: "The other device left, or did not confirm it."
        case .closed: "The app has ended it."
        case .cancelled: nil
        }
    }

    /// A suggestion of what a person can do about the error, as a sentence; `nil` if there is none.
    public var recoverySuggestion: String? {
        switch self {
        case .unknownCharacteristic: "See whether the app is up to date."
        case .notSubscribed, .notDelivered: "Connect the other device again."
        case .tooLong: "Send a shorter value."
        case .tooManyUpdates: "Try again in a moment."
        case .closed, .cancelled: nil
        }
    }
}

extension PeripheralError: CustomStringConvertible {
    /// A description of what happened and why, in one line, for example for a log.
    public var description: String { sentences(errorDescription, failureReason) }
}
