// SPDX-License-Identifier: Apache-2.0

import Foundation

extension MessageError: LocalizedError {
    /// A description of what happened, as a sentence.
    public var errorDescription: String? {
        switch self {
        case .timeout: "The answer did not arrive."
        case .cancelled: "The request was canceled."
        case .disconnected: "The message was not sent, or not answered."
        case .closed: "The channel is closed."
        case .tooLarge: "The message is too long."
        case .unframeable, .unencodable: "The message cannot be sent."
        case .undecodable: "A message cannot be read."
        case .remoteError: "The other side refused the request."
        case .queueFull: "Too many messages are waiting."
        case .notSent: "The message was not accepted."
        case .sealing: "The message could not be protected or opened."
        }
    }

    /// The reason, as a sentence; `nil` if nothing more is known.
    public var failureReason: String? {
        switch self {
        case .timeout: "The other side took too long."
        case .cancelled, .queueFull: nil
        case .disconnected: "The connection ended, or there is none."
        case .closed: "It was closed, or the accessory was forgotten or lacks the channel."
        case .tooLarge(let count, let limit): "It has \(count) bytes; the limit is \(limit)."
        case .unframeable: "It contains a byte that the framing reserves."
        case .unencodable(let reason), .remoteError(let reason), .notSent(let reason),
            .sealing(let reason):
            reason.asSentence
        case .undecodable: "Its type is not the one that the app expects."
        }
    }

    /// A suggestion of what a person can do about the error, as a sentence; `nil` if there is none.
    public var recoverySuggestion: String? {
        switch self {
        case .timeout, .queueFull: "Try again in a moment."
        case .disconnected: "Bring the accessory nearer, and make sure that it is switched on."
        case .closed: "Open the channel again when the accessory is paired."
        case .tooLarge: "Send a shorter message."
        case .unframeable: "Use another framing, or remove the byte."
        case .undecodable, .unencodable:
            "See whether the app and the accessory's firmware are up to date."
        case .sealing: "Make sure that both sides have the same key."
        case .notSent:
            "See whether it is the right accessory, and whether its firmware is up to date."
        case .cancelled, .remoteError: nil
        }
    }
}

extension MessageError: CustomStringConvertible {
    /// A description of what happened and why, in one line, for example for a log.
    public var description: String { sentences(errorDescription, failureReason) }
}

extension MessageRefusal: LocalizedError {
    /// A description of what happened, as a sentence.
    public var errorDescription: String? { "The request was refused." }
    /// The reason, as a sentence.
    public var failureReason: String? { reason.asSentence }
    /// Always `nil`, because no remedy is known.
    public var recoverySuggestion: String? { nil }
}

extension SealingError: LocalizedError {
    /// A description of what happened, as a sentence.
    public var errorDescription: String? { description.asSentence }

    /// The reason, as a sentence; `nil` if the description is complete.
    public var failureReason: String? {
        switch self {
        case .refused: "It was changed, is incomplete, or belongs to another key or session."
        case .replayed: "It may have been recorded and sent again."
        case .keyLength, .keySizesDiffer, .keysAreEqual, .weakDerivation, .randomCount,
            .sessionNotReady,
            .sessionExhausted, .cannotRotate, .messageTooLong:
            nil
        }
    }

    /// A suggestion of what a person or a developer can do about the error, as a sentence.
    public var recoverySuggestion: String? {
        switch self {
        case .refused: "Make sure that both sides have the same key."
        case .replayed: "Ask for the message again."
        case .keyLength, .keySizesDiffer: "Use keys of 16, 24 or 32 bytes, both of the same size."
        case .keysAreEqual: "Use different keys for encryption and authentication."
        case .weakDerivation: "Use a passphrase, a longer salt and a valid number of rounds."
        case .randomCount: "Ask for 0 to \(RandomBytes.maximumCount) bytes."
        case .sessionNotReady: "Wait for the answer of the other side."
        case .sessionExhausted: "Start a new session."
        case .cannotRotate: "Use GCMSealing."
        case .messageTooLong: "Send a shorter message."
        }
    }
}
