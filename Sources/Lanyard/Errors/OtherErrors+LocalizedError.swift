// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ValueError: LocalizedError {
    /// A description of what happened, as a sentence.
    public var errorDescription: String? { "The value cannot be read." }

    /// The reason, as a sentence.
    public var failureReason: String? {
        switch self {
        case .truncated(let needed, let available):
            "It needs \(needed) bytes and has \(available)."
        case .trailing(let count): "It has \(count) bytes more than it should."
        case .invalid(let field): "The \(field) is not valid."
        }
    }

    /// A suggestion of what a person can do about the error.
    public var recoverySuggestion: String? {
        "See whether it is the right accessory, and whether its firmware is up to date."
    }
}

extension AccessoryStoreFailure: LocalizedError {
    /// A description of what happened, as a sentence.
    public var errorDescription: String? { "The known accessories could not be read or stored." }
    /// The reason, as a sentence.
    public var failureReason: String? { description.asSentence }
    /// A suggestion of what a person can do about the error.
    public var recoverySuggestion: String? {
        "Make sure that the storage is not full, and that the app may write to the folder."
    }
}

extension FlightRecording.Failure: LocalizedError {
    /// A description of what happened, as a sentence.
    public var errorDescription: String? { "The recording cannot be read." }

    /// The reason, as a sentence.
    public var failureReason: String? {
        switch self {
        case .unknownFormat: "It is not a recording, or it is from another version."
        case .malformedLine(let number): "Line \(number) is not an event."
        case .tooLong: "It has more than \(FlightRecording.eventLimit) events."
        }
    }

    /// A suggestion of what a person can do about the error.
    public var recoverySuggestion: String? {
        switch self {
        case .unknownFormat: "Choose a file that the same version of the app has written."
        case .malformedLine: "Remove the line."
        case .tooLong: "Split the recording."
        }
    }
}

extension FlightRecording.Failure: CustomStringConvertible {
    /// A description of what happened and why, in one line.
    public var description: String { sentences(errorDescription, failureReason) }
}

extension AdoptionError: LocalizedError {
    /// A description of what happened, as a sentence.
    public var errorDescription: String? {
        switch self {
        case .notAdopted: "There is no manager to give back."
        default: "The Bluetooth manager cannot be taken over."
        }
    }

    /// The reason, as a sentence.
    public var failureReason: String? {
        switch self {
        case .inUse: "Another central uses it."
        case .notConnected(let identifier): "The peripheral \(identifier) is not connected."
        case .otherManager(let identifier):
            "The peripheral \(identifier) belongs to another manager."
        case .duplicate(let identifier): "The peripheral \(identifier) is in the list twice."
        case .unknownKind(let kind): "The central has no description of the kind '\(kind)'."
        case .unidentified(let kind):
            "A connected accessory of the kind '\(kind)' does not send its identifier."
        case .notAdopted: "The central created its manager itself, or has ended."
        }
    }

    /// A suggestion of what a person can do about the error.
    public var recoverySuggestion: String? {
        switch self {
        case .inUse: "Call relinquishManager on the other central first."
        case .notConnected: "Connect the peripheral first, or leave it out."
        case .otherManager: "Pass the manager that connected the peripheral."
        case .duplicate: "Pass each peripheral once."
        case .unknownKind: "Pass the description to the central."
        case .unidentified: "Disconnect the accessory, and pair it."
        case .notAdopted: "Use shutDown to end a central."
        }
    }
}
