// SPDX-License-Identifier: Apache-2.0

import Foundation

// Texts for a screen. None of them contains the name of a type, a case or a variable.

extension AccessoryError: LocalizedError {
    /// A description of what happened, as a sentence.
    public var errorDescription: String? {
        switch self {
        case .unsupported: "Bluetooth Low Energy is not available."
        case .unauthorized: "The app may not use Bluetooth."
        case .unfilteredScan: "The search needs a service."
        case .shutDown: "The accessory is no longer in use."
        case .unknownKind: "The kind of the accessory is unknown."
        case .alreadyPaired: "The device is already paired."
        case .notFound: "No accessory was found."
        case .connectingTimedOut, .attemptFailed: "The accessory could not be connected."
        case .stepTimedOut: "The accessory did not become ready."
        case .notPaired: "The accessory is not paired."
        case .outOfConnectionSlots: "All connections are in use."
        case .abandoned: "The accessory is not being connected."
        case .notConnected: "The accessory is not connected."
        case .unknownCharacteristic: "The accessory does not have this value."
        case .notPermitted: "The accessory does not permit this."
        case .refused: "The accessory refused the request."
        case .malformed: "The accessory sent a value that cannot be read."
        case .requestTimedOut: "The accessory did not answer."
        case .tooManyRequests, .tooManyWrites: "The accessory is busy."
        case .tooLong: "The value is too long."
        case .writeInterrupted: "The value was not written completely."
        case .linkEnded: "The connection ended."
        case .notErased: "The accessory could not be forgotten."
        case .servicesChanged: "The accessory has changed."
        case .cancelled: "The request was canceled."
        }
    }

    /// The reason, as a sentence; `nil` if nothing more is known.
    public var failureReason: String? {
        switch self {
        case .unsupported: "No adapter that supports it was found."
        case .unauthorized, .cancelled, .notConnected: nil
        case .unfilteredScan: "Without a service, the search would report every device."
        case .shutDown: "It was forgotten, or the app has ended its use of Bluetooth."
        case .unknownKind(let kind): "The app did not describe the kind “\(kind)”."
        case .alreadyPaired(let kind): "It is an accessory of the kind “\(kind)”."
        case .notFound(let limit): "None was discovered within \(limit.inWords)."
        case .connectingTimedOut(let limit): "It did not answer within \(limit.inWords)."
        case .stepTimedOut(let state, let limit):
            "\(state.step) took longer than \(limit.inWords)."
        case .attemptFailed(let failure): failure.sentence
        case .notPaired: "It reveals its protected values only to paired devices."
        case .outOfConnectionSlots(let slots): slots.failureReason
        case .abandoned(let reason): reason.sentence
        case .unknownCharacteristic(let identifier):
            "It lacks \(identifier.title), or the app did not describe it."
        case .notPermitted(let identifier):
            "\(identifier.title) cannot be used in this way."
        case .refused(_, let text): text.asSentence
        case .malformed(let identifier, let error): "\(identifier.title): \(error)."
        case .requestTimedOut(let limit): "No answer arrived within \(limit.inWords)."
        case .tooManyRequests(let limit): "\(limit) requests already wait."
        case .tooManyWrites(let limit): "\(limit) values already wait to be written."
        case .tooLong(let length, let maximum):
            "It has \(length) bytes, and one write permits \(maximum)."
        case .writeInterrupted(let sent, let count): "\(sent) of \(count) bytes were sent."
        case .linkEnded: "It ended before the answer arrived."
        case .notErased: "The store of the known accessories could not be changed."
        case .servicesChanged: "Its services changed before the answer arrived."
        }
    }

    /// A suggestion of what a person can do about the error, as a sentence; `nil` if there is none.
    public var recoverySuggestion: String? {
        switch self {
        case .unsupported: Availability.unsupported.recoverySuggestion
        case .unauthorized: Availability.unauthorized.recoverySuggestion
        case .unfilteredScan: "Describe the accessory with a service that it advertises."
        case .shutDown: "Pair the accessory again."
        case .unknownKind: "Create the central with the description of this kind."
        case .alreadyPaired: "Forget it, and pair it again."
        case .notFound: IdleReason.notFound.recoverySuggestion
        case .connectingTimedOut, .stepTimedOut, .requestTimedOut, .linkEnded,
            .writeInterrupted, .notConnected:
            "Bring the accessory nearer, and make sure that it is switched on."
        case .attemptFailed(let failure): failure.recoverySuggestion
        case .notPaired: LinkFailure.pairAgainAdvice
        case .outOfConnectionSlots: "Disconnect another accessory."
        case .abandoned(let reason): reason.recoverySuggestion
        case .unknownCharacteristic, .notPermitted, .malformed:
            "See whether it is the right accessory, and whether its firmware is up to date."
        case .refused(let code, _):
            Self.missingSecurity.contains(code ?? 0)
                ? "Pair it again." : "Try again, or see whether its firmware is up to date."
        case .tooManyRequests, .tooManyWrites, .servicesChanged: "Try again in a moment."
        case .tooLong: "Use a shorter value, or write it in chunks."
        case .notErased: "Make sure that the storage is not full, and try again."
        case .cancelled: nil
        }
    }

    /// The codes for missing authentication, authorization or encryption (Vol 3, Part F, 3.4.1.1).
    private static let missingSecurity: Set<Int> = [0x05, 0x08, 0x0C, 0x0F]
}

extension AccessoryError: CustomStringConvertible {
    /// A description of what happened and why, in one line, for example for a log.
    public var description: String { sentences(errorDescription, failureReason) }
}

extension OutOfConnectionSlots: LocalizedError {
    /// A description of what happened, as a sentence.
    public var errorDescription: String? { "All connections are in use." }

    /// The names of the accessories that hold the connections, or the number of possible
    /// connections if no name is known.
    public var failureReason: String? {
        let names = holders.compactMap(\.name)
        let others = holders.count - names.count
        guard !names.isEmpty else {
            return "\(limit) \(limit == 1 ? "connection is" : "connections are") possible."
        }
        let list = names + (others > 0 ? ["\(others) without a name"] : [])
        return "Connected: \(list.joined(separator: ", "))."
    }

    /// A suggestion of what a person can do about the error.
    public var recoverySuggestion: String? { "Disconnect another accessory." }
}

extension ChangeReason {
    /// The reason as a sentence for a screen, without the code of an error.
    fileprivate var sentence: String {
        switch self {
        case .notPaired(let failure), .lost(let failure), .retrying(let failure, _),
            .abandoned(let failure), .standingBy(let failure), .messagesRefused(let failure),
            .systemReconnects(let failure?), .resting(.failed(let failure)):
            failure.sentence
        default: description
        }
    }
}

extension AccessoryState {
    /// The step of becoming ready, as the beginning of a sentence.
    fileprivate var step: String {
        switch self {
        case .connecting: "The connection"
        case .discoveringServices, .discoveringCharacteristics: "The discovery of its services"
        case .subscribing: "The confirmation of its subscriptions"
        case .connected: "Pairing"
        default: "A step"
        }
    }
}

/// Returns the sentences in one line.
func sentences(_ parts: String?...) -> String {
    parts.compactMap(\.self).joined(separator: " ")
}

extension String {
    /// The text with a capital letter and a period.
    var asSentence: String {
        guard let first else { return "The reason is unknown." }
        let text = first.uppercased() + dropFirst()
        return text.hasSuffix(".") ? text : text + "."
    }
}
