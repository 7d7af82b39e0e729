// SPDX-License-Identifier: Apache-2.0

/// The error with which this device refuses a request of a central (Vol 3, Part F, 3.4.1.1).
public struct AttributeError: Error, Hashable, Sendable {
    /// The code of the error, from 0x01 to 0xFF.
    public var code: Int

    /// The valid codes.
    static let codes = 0x01...0xFF

    /// Creates an error from its code.
    ///
    /// - Parameter code: The code of the error. The central gets ``unlikelyError`` for a number
    ///   that is not a code.
    public init(code: Int) {
        self.code = code
    }

    /// The value cannot be read.
    public static let readNotPermitted = AttributeError(code: 0x02)
    /// The value cannot be written.
    public static let writeNotPermitted = AttributeError(code: 0x03)
    /// The central is not authenticated.
    public static let insufficientAuthentication = AttributeError(code: 0x05)
    /// The offset is beyond the end of the value.
    public static let invalidOffset = AttributeError(code: 0x07)
    /// The central is not authorized.
    public static let insufficientAuthorization = AttributeError(code: 0x08)
    /// The value has a wrong length.
    public static let invalidAttributeValueLength = AttributeError(code: 0x0D)
    /// The request failed for another reason.
    public static let unlikelyError = AttributeError(code: 0x0E)
    /// The link is not encrypted.
    public static let insufficientEncryption = AttributeError(code: 0x0F)
    /// This device lacks the resources for the request.
    public static let insufficientResources = AttributeError(code: 0x11)
}

extension AttributeError: CustomStringConvertible {
    /// The code as text.
    public var description: String { "attribute error \(code)" }
}
