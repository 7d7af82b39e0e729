// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Foundation

extension CBATTError {
    /// Makes the error that a delegate gets, with its text in `userInfo`.
    init(delivering code: Code) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: Self.text(of: code)])
    }

    private static func text(of code: Code) -> String {
        texts[code] ?? "Unknown ATT error."
    }

    private static let texts: [Code: String] = [
        .success: "Success.",
        .invalidHandle: "The handle is invalid.",
        .readNotPermitted: "Reading is not permitted.",
        .writeNotPermitted: "Writing is not permitted.",
        .invalidPdu: "The command is invalid.",
        .insufficientAuthentication: "Authentication is insufficient.",
        .requestNotSupported: "The request is not supported.",
        .invalidOffset: "The offset is invalid.",
        .insufficientAuthorization: "Authorization is insufficient.",
        .prepareQueueFull: "The prepare queue is full.",
        .attributeNotFound: "The attribute could not be found.",
        .attributeNotLong: "The attribute is not long.",
        .insufficientEncryptionKeySize: "The encryption key size is insufficient.",
        .invalidAttributeValueLength: "The value's length is invalid.",
        .unlikelyError: "Unlikely error.",
        .insufficientEncryption: "Encryption is insufficient.",
        .unsupportedGroupType: "The group type is not supported.",
        .insufficientResources: "Resources are insufficient.",
    ]
}
