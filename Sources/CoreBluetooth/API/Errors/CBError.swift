// SPDX-License-Identifier: Apache-2.0

import Foundation

// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The domain of `CBError` as an `NSError`.
public let CBErrorDomain: String = "CBErrorDomain"

/// An error of the framework, such as a lost link or an invalid argument.
///
/// Delegates get values of this type or of `CBATTError`, and never a bare `NSError`, because on
/// Linux a cast from `NSError` to this type fails. `error as NSError` works.
public struct CBError: CustomNSError, _BridgedStoredNSError, Hashable, Error, @unchecked Sendable {
    // Unchecked: the stored error is an object of a class, and it never changes.

    /// The error code.
    public typealias Code = CBErrorCode

    /// The stored error.
    public let _nsError: NSError

    /// `CBErrorDomain`, under the name that Foundation requires.
    public static var _nsErrorDomain: String { CBErrorDomain }

    /// Wraps an error of this domain.
    ///
    /// - Precondition: The error's domain is `CBErrorDomain`.
    public init(_nsError error: NSError) {
        precondition(error.domain == CBErrorDomain, "the error is not one of \(CBErrorDomain)")
        _nsError = error
    }

    /// `CBErrorDomain`.
    public static var errorDomain: String { CBErrorDomain }

    /// Returns whether two errors have the same code and content.
    public static func == (one: CBError, other: CBError) -> Bool {
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

extension CBErrorCode: @retroactive _ErrorCodeProtocol {
    /// The error that has codes of this type.
    public typealias _ErrorType = CBError
}
