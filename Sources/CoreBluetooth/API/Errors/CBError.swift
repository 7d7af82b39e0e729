// SPDX-License-Identifier: Apache-2.0

import Foundation

// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// What `CBError` calls its domain as an NSError.
public let CBErrorDomain: String = "CBErrorDomain"

/// An error of the framework itself: a link that was lost, an argument that makes no sense.
///
/// Delegates get values of this type (or of `CBATTError`), never a bare NSError: on Linux a cast of
/// an NSError to this type fails, while `error as NSError` works.
public struct CBError: CustomNSError, _BridgedStoredNSError, Hashable, Error, @unchecked Sendable {
    // Unchecked, since the error it stores is a class: it is never changed once it is stored.

    /// What went wrong.
    public typealias Code = CBErrorCode

    /// The error as Foundation keeps it.
    public let _nsError: NSError

    /// `CBErrorDomain`, as Foundation asks for it.
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

    /// Whether both have the same code and content.
    public static func == (one: CBError, other: CBError) -> Bool {
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

extension CBErrorCode: @retroactive _ErrorCodeProtocol {
    /// The error that has codes of this type.
    public typealias _ErrorType = CBError
}
