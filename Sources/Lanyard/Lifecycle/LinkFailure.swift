// SPDX-License-Identifier: Apache-2.0

/// The reason why a link was not made, has ended, or was unusable.
public struct LinkFailure: Hashable, Sendable {
    /// The kind of a failure.
    public enum Kind: Hashable, Sendable {
        /// This device no longer receives the accessory's packets.
        case linkLoss
        /// The accessory ended the link.
        case remoteClosed
        /// This device ended the link, or canceled the operation.
        case ownCancel
        /// The accessory has deleted its pairing information.
        case unpaired
        /// The link could not be encrypted, perhaps because one side has lost its keys.
        case encryptionFailed
        /// This device or the accessory has no room for another bond.
        case tooManyBonds
        /// The attempt to connect failed.
        case attemptFailed
        /// A step took longer than its time limit.
        case timeout
        /// There are too many links for this device, or for the connection limit of the central.
        case capacity
        /// This device or the accessory does not support the operation.
        case unsupported
        /// A service or characteristic that the description requires is missing.
        case incomplete
        /// Pairing is required, but did not take place.
        case notPaired
        /// The accessory refused a request for another reason.
        case refused
        /// The reason is unknown.
        case unknown
    }

    /// The code of an error, with its domain.
    public enum Code: Hashable, Sendable {
        /// The code of a `CBError`.
        case link(Int)
        /// The code of a `CBATTError`: an answer of the accessory.
        case attribute(Int)
    }

    /// The kind of the failure.
    public let kind: Kind
    /// The code of the error, if there was an error.
    public let code: Code?
    /// A description of the failure.
    public let text: String

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - kind: The kind of the failure.
    ///   - code: The code of the error; `nil` if there was no error.
    ///   - text: A description of the failure.
    public init(_ kind: Kind, code: Code? = nil, _ text: String) {
        self.kind = kind
        self.code = code
        self.text = text
    }

    /// The code of the `CBError` for an attribute that is no longer valid.
    package static let invalidHandle = 2
    /// The code of the `CBError` for a peripheral that is not connected.
    package static let notConnected = 3
}

extension LinkFailure: CustomStringConvertible {
    /// The text without its final period, and the code of the error, as a part of a sentence.
    public var description: String {
        let text = text.hasSuffix(".") ? String(text.dropLast()) : text
        return switch code {
        case .link(let number): "\(text) (CBError \(number))"
        case .attribute(let number): "\(text) (CBATTError \(number))"
        case nil: text
        }
    }
}
