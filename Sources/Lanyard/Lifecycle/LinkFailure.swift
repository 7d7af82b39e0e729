// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Why a link could not be made, or ended, or was of no use.
public struct LinkFailure: Hashable, Sendable {
    /// What failed.
    public enum Kind: Hashable, Sendable {
        /// The accessory is not heard any more.
        case linkLoss
        /// The accessory ended the link.
        case remoteClosed
        /// This device ended the link: no error was told.
        case ownCancel
        /// The accessory has deleted what it was paired with.
        case unpaired
        /// The link could not be encrypted, perhaps since one side has lost its keys.
        case encryptionFailed
        /// There is no room for one more bond, here or there.
        case tooManyBonds
        /// The attempt to connect failed.
        case attemptFailed
        /// A step took longer than the accessory's description allows.
        case timeout
        /// There are too many links: on this device, or by the limit of the pool.
        case capacity
        /// Not possible here, or with this accessory.
        case unsupported
        /// A service or characteristic is missing that the description requires.
        case incomplete
        /// Pairing is needed, and did not come about.
        case notPaired
        /// The accessory refused something else.
        case refused
        /// Nobody says.
        case unknown
    }

    /// The number of an error, and whose it is.
    public enum Code: Hashable, Sendable {
        /// Of a `CBError`.
        case link(Int)
        /// Of a `CBATTError`: an answer of the accessory's.
        case attribute(Int)
    }

    /// What failed.
    public let kind: Kind
    /// The error's number, if there was an error.
    public let code: Code?
    /// What happened, in words.
    public let text: String

    /// A failure of which the framework told nothing.
    public init(_ kind: Kind, code: Code? = nil, _ text: String) {
        self.kind = kind
        self.code = code
        self.text = text
    }

    /// What an error of the framework means.
    public init(_ error: any Error) {
        switch error {
        case let error as CBError: self.init(error)
        case let error as CBATTError: self.init(error)
        default: self.init(.unknown, "\(error)")
        }
    }

    /// What an error of a link means. What Apple's mean is not documented well: a code without a meaning
    /// that is known is `unknown`.
    public init(_ error: CBError) {
        let code = error.code
        self.init(
            Self.kind(of: code),
            code: .link(code.rawValue),
            error.localizedDescription
        )
    }

    /// What an accessory's refusal means.
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
    /// What happened, with the error's number.
    public var description: String {
        switch code {
        case .link(let number): "\(text) (CBError \(number))"
        case .attribute(let number): "\(text) (CBATTError \(number))"
        case nil: text
        }
    }
}
