// SPDX-License-Identifier: Apache-2.0

// The codes under the error's own name: `catch CBATTError.readNotPermitted` reads better than with the code's.

extension CBATTError {
    /// No error; what a peripheral answers when all is well.
    public static var success: CBATTError.Code { .success }
    /// There is no attribute with this handle.
    public static var invalidHandle: CBATTError.Code { .invalidHandle }
    /// The attribute cannot be read.
    public static var readNotPermitted: CBATTError.Code { .readNotPermitted }
    /// The attribute cannot be written.
    public static var writeNotPermitted: CBATTError.Code { .writeNotPermitted }
    /// The request is malformed.
    public static var invalidPdu: CBATTError.Code { .invalidPdu }
    /// The link's keys were made with too little proof of who the peer is.
    public static var insufficientAuthentication: CBATTError.Code { .insufficientAuthentication }
    /// The server does not know the request.
    public static var requestNotSupported: CBATTError.Code { .requestNotSupported }
    /// The offset lies past the end of the value.
    public static var invalidOffset: CBATTError.Code { .invalidOffset }
    /// The server's application does not allow it.
    public static var insufficientAuthorization: CBATTError.Code { .insufficientAuthorization }
    /// Too many prepared writes are waiting.
    public static var prepareQueueFull: CBATTError.Code { .prepareQueueFull }
    /// There is no such attribute in the range.
    public static var attributeNotFound: CBATTError.Code { .attributeNotFound }
    /// The attribute cannot be read in pieces.
    public static var attributeNotLong: CBATTError.Code { .attributeNotLong }
    /// The link's key is too short.
    public static var insufficientEncryptionKeySize: CBATTError.Code {
        .insufficientEncryptionKeySize
    }
    /// The value has the wrong length for the attribute.
    public static var invalidAttributeValueLength: CBATTError.Code { .invalidAttributeValueLength }
    /// Something that should not happen has happened.
    public static var unlikelyError: CBATTError.Code { .unlikelyError }
    /// The link is not encrypted.
    public static var insufficientEncryption: CBATTError.Code { .insufficientEncryption }
    /// The type is no group of attributes.
    public static var unsupportedGroupType: CBATTError.Code { .unsupportedGroupType }
    /// The server has no room left for the request.
    public static var insufficientResources: CBATTError.Code { .insufficientResources }
}
