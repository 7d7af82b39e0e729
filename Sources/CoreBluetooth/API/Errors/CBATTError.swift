// SPDX-License-Identifier: Apache-2.0

import Foundation

// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// What `CBATTError` calls its domain as an NSError.
public let CBATTErrorDomain: String = "CBATTErrorDomain"

/// What an attribute server answered in place of success (Vol 3, Part F, 3.4.1.1).
///
/// A code without a name keeps its number. Delegates get values of this type, never a bare NSError:
/// on Linux a cast of an NSError to this type fails, while `error as NSError` works.
public struct CBATTError: CustomNSError, _BridgedStoredNSError, Hashable, Error,
    @unchecked Sendable
{
    // Unchecked, since the error it stores is a class: it is never changed once it is stored.

    /// What the server answered.
    public typealias Code = CBATTErrorCode

    /// The error as Foundation keeps it.
    public let _nsError: NSError

    /// `CBATTErrorDomain`, as Foundation asks for it.
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

    /// Whether both have the same code and content.
    public static func == (one: CBATTError, other: CBATTError) -> Bool {
        one._nsError.isEqual(other._nsError)
    }

    /// Feeds what equality looks at.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(_nsError.code)
    }

    // Foundation's own, which would be used otherwise, traps on Linux.
    /// A number that is the same for errors that are equal.
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
