// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The reason why a command to a control point was not executed, or why its result is unknown.
public enum ControlPointError<Refusal: ControlPointRefusal>: Error, Hashable, Sendable {
    /// The accessory refused the command.
    case refused(Refusal)
    /// The accessory executes another command, perhaps of another app. Try again later.
    case busy
    /// Another command aborted this one.
    case aborted
    /// The accessory did not answer in time. It may have executed the command.
    case timedOut(after: Duration)
    /// The answer of the accessory is not valid, for this reason. The accessory may have executed
    /// the command.
    case malformed(ValueError)
    /// Too many commands already wait for their turn.
    case tooManyCommands(limit: Int)
    /// The command failed for another reason, for example because the link ended.
    case accessory(AccessoryError)
}

extension ControlPointError: LocalizedError {
    /// A description of what happened, as a sentence.
    public var errorDescription: String? {
        switch self {
        case .refused: "The accessory refused the command."
        case .busy, .tooManyCommands: "The accessory is busy."
        case .aborted: "The command was aborted."
        case .timedOut: "The accessory did not answer."
        case .malformed: "The accessory sent an answer that cannot be read."
        case .accessory(let error): error.errorDescription
        }
    }

    /// The reason, as a sentence; `nil` if nothing more is known.
    public var failureReason: String? {
        switch self {
        case .refused(let refusal): refusal.description.asSentence
        case .busy: "It executes another command."
        case .aborted: nil
        case .timedOut(let limit): "No answer arrived within \(limit.inWords)."
        case .malformed(let error): error.failureReason
        case .tooManyCommands(let limit): "\(limit) commands already wait."
        case .accessory(let error): error.failureReason
        }
    }

    /// A suggestion of what a person can do about the error, as a sentence; `nil` if there is none.
    public var recoverySuggestion: String? {
        switch self {
        case .refused, .aborted: nil
        case .busy, .timedOut, .tooManyCommands: "Try again in a moment."
        case .malformed(let error): error.recoverySuggestion
        case .accessory(let error): error.recoverySuggestion
        }
    }
}

extension ControlPointError: CustomStringConvertible {
    /// A description of what happened and why, in one line, for example for a log.
    public var description: String { sentences(errorDescription, failureReason) }
}
