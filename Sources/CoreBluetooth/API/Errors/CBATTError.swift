// SPDX-License-Identifier: Apache-2.0

import Foundation

// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The domain of `CBATTError` as an `NSError`.
public let CBATTErrorDomain: String = "CBATTErrorDomain"

/// An error with which an attribute server answered a request (Vol 3, Part F, 3.4.1.1).
///
/// A code without a name keeps its number. Delegates get values of this type and never a bare
/// `NSError`, because on Linux a cast from `NSError` to this type fails. `error as NSError` works.
public struct CBATTError: CustomNSError, _BridgedStoredNSError, Hashable, Error,
    @unchecked Sendable
{
    // Unchecked: the stored error is an object of a class, and it never changes.

    /// The error code of the server.
    public typealias Code = CBATTErrorCode

    /// The stored error.
    public let _nsError: NSError

    /// `CBATTErrorDomain`, under the name that Foundation requires.
    public static var _nsErrorDomain: String { CBATTErrorDomain }

    /// Wraps an error of this domain.
    ///
    /// - Precondition: The error's domain is `CBATTErrorDomain`.
    public init(_nsError error: NSError) {
        precondition(
            error.domain == CBATTErrorDomain,
            "the error is not one of \(CBATTErrorDomain)"
        )
        _nsError = error
    }

    /// `CBATTErrorDomain`.
    public static var errorDomain: String { CBATTErrorDomain }

    /// Returns whether two errors have the same code and content.
    public static func == (one: CBATTError, other: CBATTError) -> Bool {
        one._nsError.isEqual(other._nsError)
    }

    /// Hashes the code, which is equal in equal errors.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(_nsError.code)
    }

    // Foundation's default implementation traps on Linux.
    /// The hash value. Equal errors have equal hash values.
    public var hashValue: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }
}

extension CBATTErrorCode: @retroactive _ErrorCodeProtocol {
    /// The error that has codes of this type.
    public typealias _ErrorType = CBATTError
}
