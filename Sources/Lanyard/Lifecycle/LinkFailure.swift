// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The reason why a link was not made, has ended, or was unusable.
public struct LinkFailure: Hashable, Sendable {
    /// The kind of a failure.
    public enum Kind: Hashable, Sendable {
        /// The accessory is no longer received.
        case linkLoss
        /// The accessory ended the link.
        case remoteClosed
        /// This device ended the link: no error was reported.
        case ownCancel
        /// The accessory has deleted its pairing information.
        case unpaired
        /// The link could not be encrypted, perhaps because one side has lost its keys.
        case encryptionFailed
        /// This device or the accessory has no room for another bond.
        case tooManyBonds
        /// The attempt to connect failed.
        case attemptFailed
        /// A step took longer than the accessory's description allows.
        case timeout
        /// There are too many links: for this device, or for the limit of the pool.
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

    /// Creates a failure that does not come from an error of the framework.
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

    /// Creates a failure from an error of the framework. An error that is neither a `CBError` nor a
    /// `CBATTError` has the kind ``Kind/unknown``.
    ///
    /// - Parameter error: The error.
    public init(_ error: any Error) {
        switch error {
        case let error as CBError: self.init(error)
        case let error as CBATTError: self.init(error)
        default: self.init(.unknown, "\(error)")
        }
    }

    /// Creates a failure from an error of a link. Apple documents these errors only briefly. A code
    /// without a known meaning has the kind ``Kind/unknown``.
    ///
    /// - Parameter error: The error.
    public init(_ error: CBError) {
        let code = error.code
        self.init(
            Self.kind(of: code),
            code: .link(code.rawValue),
            error.localizedDescription
        )
    }

    /// Creates a failure from a refusal of the accessory. The kind is ``Kind/notPaired`` if the
    /// accessory requires authentication, authorization or encryption, and otherwise
    /// ``Kind/refused``.
    ///
    /// - Parameter error: The refusal.
    public init(_ error: CBATTError) {
        let isMissingSecurity = [
            .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption,
            .insufficientEncryptionKeySize,
        ].contains(error.code)
        self.init(
            isMissingSecurity ? .notPaired : .refused,
            code: .attribute(error.code.rawValue),
            error.localizedDescription
        )
    }

    private static func kind(of code: CBError.Code) -> Kind {
        switch code {
        case .connectionTimeout: .linkLoss
        case .peripheralDisconnected: .remoteClosed
        case .operationCancelled: .ownCancel
        case .peerRemovedPairingInformation: .unpaired
        case .encryptionTimedOut: .encryptionFailed
        case .tooManyLEPairedDevices: .tooManyBonds
        case .connectionFailed, .notConnected, .unknownDevice: .attemptFailed
        case .connectionLimitReached, .outOfSpace: .capacity
        case .operationNotSupported, .invalidParameters, .uuidNotAllowed: .unsupported
        default: .unknown
        }
    }
}

extension LinkFailure: CustomStringConvertible {
    /// The text with the code of the error.
    public var description: String {
        switch code {
        case .link(let number): "\(text) (CBError \(number))"
        case .attribute(let number): "\(text) (CBATTError \(number))"
        case nil: text
        }
    }
}
