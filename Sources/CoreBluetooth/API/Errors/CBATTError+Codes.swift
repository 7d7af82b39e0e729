// SPDX-License-Identifier: Apache-2.0

// The codes as members of the error: `catch CBATTError.readNotPermitted` is shorter than with
// `Code`.

extension CBATTError {
    /// The request succeeded.
    public static var success: CBATTError.Code { .success }
    /// The peer has no attribute with this handle.
    public static var invalidHandle: CBATTError.Code { .invalidHandle }
    /// The attribute cannot be read.
    public static var readNotPermitted: CBATTError.Code { .readNotPermitted }
    /// The attribute cannot be written.
    public static var writeNotPermitted: CBATTError.Code { .writeNotPermitted }
    /// The request is malformed.
    public static var invalidPdu: CBATTError.Code { .invalidPdu }
    /// The link is not encrypted with authenticated keys.
    public static var insufficientAuthentication: CBATTError.Code { .insufficientAuthentication }
    /// The server does not support the request.
    public static var requestNotSupported: CBATTError.Code { .requestNotSupported }
    /// The offset is beyond the end of the value.
    public static var invalidOffset: CBATTError.Code { .invalidOffset }
    /// The server's app does not authorize the request.
    public static var insufficientAuthorization: CBATTError.Code { .insufficientAuthorization }
    /// The queue of prepared writes is full.
    public static var prepareQueueFull: CBATTError.Code { .prepareQueueFull }
    /// The range of handles has no such attribute.
    public static var attributeNotFound: CBATTError.Code { .attributeNotFound }
    /// The attribute cannot be read in parts.
    public static var attributeNotLong: CBATTError.Code { .attributeNotLong }
    /// The encryption key of the link is too short.
    public static var insufficientEncryptionKeySize: CBATTError.Code {
        .insufficientEncryptionKeySize
    }
    /// The length of the value is wrong for the attribute.
    public static var invalidAttributeValueLength: CBATTError.Code { .invalidAttributeValueLength }
    /// The server had an unexpected error.
    public static var unlikelyError: CBATTError.Code { .unlikelyError }
    /// The link is not encrypted.
    public static var insufficientEncryption: CBATTError.Code { .insufficientEncryption }
    /// The attribute type is not a grouping attribute.
    public static var unsupportedGroupType: CBATTError.Code { .unsupportedGroupType }
    /// The server lacks the resources for the request.
    public static var insufficientResources: CBATTError.Code { .insufficientResources }
}
