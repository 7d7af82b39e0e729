// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// The reason why a server refused a request (Vol 3, Part F, 3.4.1.1). The profile codes from
    /// 0xE0 are in the Core Specification Supplement, Part B.
    public struct ErrorCode: OpenCode, Error {
        /// The error code's number.
        public let rawValue: UInt8

        /// Creates a code from any number, known or unknown.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The server has no attribute with this handle.
        public static let invalidHandle = ErrorCode(rawValue: 0x01)
        /// The attribute cannot be read.
        public static let readNotPermitted = ErrorCode(rawValue: 0x02)
        /// The attribute cannot be written.
        public static let writeNotPermitted = ErrorCode(rawValue: 0x03)
        /// The PDU of the request was not valid.
        public static let invalidPDU = ErrorCode(rawValue: 0x04)
        /// The attribute requires an authenticated link.
        public static let insufficientAuthentication = ErrorCode(rawValue: 0x05)
        /// The server does not support the request.
        public static let requestNotSupported = ErrorCode(rawValue: 0x06)
        /// The offset is past the end of the value.
        public static let invalidOffset = ErrorCode(rawValue: 0x07)
        /// The server must authorize the client before the client may use the attribute.
        public static let insufficientAuthorization = ErrorCode(rawValue: 0x08)
        /// The server cannot store another prepared write.
        public static let prepareQueueFull = ErrorCode(rawValue: 0x09)
        /// No attribute in the range has the requested type.
        public static let attributeNotFound = ErrorCode(rawValue: 0x0A)
        /// The value is short and cannot be read from an offset.
        public static let attributeNotLong = ErrorCode(rawValue: 0x0B)
        /// The encryption key of the link is too short.
        public static let encryptionKeySizeTooShort = ErrorCode(rawValue: 0x0C)
        /// The value has a length that the attribute does not accept.
        public static let invalidAttributeValueLength = ErrorCode(rawValue: 0x0D)
        /// An unexpected error occurred on the server.
        public static let unlikelyError = ErrorCode(rawValue: 0x0E)
        /// The attribute requires an encrypted link.
        public static let insufficientEncryption = ErrorCode(rawValue: 0x0F)
        /// The requested type is not a type that groups attributes.
        public static let unsupportedGroupType = ErrorCode(rawValue: 0x10)
        /// The server does not have the resources for the request.
        public static let insufficientResources = ErrorCode(rawValue: 0x11)
        /// The server's database has changed since the client discovered it.
        public static let databaseOutOfSync = ErrorCode(rawValue: 0x12)
        /// The attribute does not accept the value.
        public static let valueNotAllowed = ErrorCode(rawValue: 0x13)
        /// The profile's rules do not allow the write.
        public static let writeRequestRejected = ErrorCode(rawValue: 0xFC)
        /// The Client Characteristic Configuration descriptor does not have the required value.
        public static let clientConfigurationImproper = ErrorCode(rawValue: 0xFD)
        /// The profile is still processing an earlier request.
        public static let procedureAlreadyInProgress = ErrorCode(rawValue: 0xFE)
        /// The value is outside of the profile's range.
        public static let outOfRange = ErrorCode(rawValue: 0xFF)

        /// The codes whose meaning each service defines for itself.
        public static let applicationCodes: ClosedRange<UInt8> = 0x80...0x9F

        /// The names of the known values, worded as in the specification.
        public static let names: [UInt8: String] = [
            0x01: "Invalid Handle",
            0x02: "Read Not Permitted",
            0x03: "Write Not Permitted",
            0x04: "Invalid PDU",
            0x05: "Insufficient Authentication",
            0x06: "Request Not Supported",
            0x07: "Invalid Offset",
            0x08: "Insufficient Authorization",
            0x09: "Prepare Queue Full",
            0x0A: "Attribute Not Found",
            0x0B: "Attribute Not Long",
            0x0C: "Encryption Key Size Too Short",
            0x0D: "Invalid Attribute Value Length",
            0x0E: "Unlikely Error",
            0x0F: "Insufficient Encryption",
            0x10: "Unsupported Group Type",
            0x11: "Insufficient Resources",
            0x12: "Database Out Of Sync",
            0x13: "Value Not Allowed",
            0xFC: "Write Request Rejected",
            0xFD: "Client Characteristic Configuration Descriptor Improperly Configured",
            0xFE: "Procedure Already in Progress",
            0xFF: "Out of Range",
        ]
    }
}
