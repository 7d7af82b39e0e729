// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The result of a command, or the reason for the end of a link (Vol 1, Part F, 1.3).
    public struct ErrorCode: OpenCode, HCIParameters {
        /// The error code's number.
        public let rawValue: UInt8

        /// Creates a code from any number, known or unknown.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Success.
        public static let success = ErrorCode(rawValue: 0x00)
        /// Unknown HCI command.
        public static let unknownCommand = ErrorCode(rawValue: 0x01)
        /// Unknown connection identifier.
        public static let unknownConnectionIdentifier = ErrorCode(rawValue: 0x02)
        /// Hardware failure.
        public static let hardwareFailure = ErrorCode(rawValue: 0x03)
        /// Page timeout.
        public static let pageTimeout = ErrorCode(rawValue: 0x04)
        /// Authentication failure.
        public static let authenticationFailure = ErrorCode(rawValue: 0x05)
        /// PIN or key missing.
        public static let pinOrKeyMissing = ErrorCode(rawValue: 0x06)
        /// Memory capacity exceeded.
        public static let memoryCapacityExceeded = ErrorCode(rawValue: 0x07)
        /// Connection timeout.
        public static let connectionTimeout = ErrorCode(rawValue: 0x08)
        /// Connection limit exceeded.
        public static let connectionLimitExceeded = ErrorCode(rawValue: 0x09)
        /// Synchronous connection limit to a device exceeded.
        public static let synchronousConnectionLimitExceeded = ErrorCode(rawValue: 0x0A)
        /// Connection already exists.
        public static let connectionAlreadyExists = ErrorCode(rawValue: 0x0B)
        /// Command disallowed.
        public static let commandDisallowed = ErrorCode(rawValue: 0x0C)
        /// Connection rejected due to limited resources.
        public static let rejectedForLimitedResources = ErrorCode(rawValue: 0x0D)
        /// Connection rejected due to security reasons.
        public static let rejectedForSecurityReasons = ErrorCode(rawValue: 0x0E)
        /// Connection rejected due to unacceptable BD_ADDR.
        public static let rejectedForUnacceptableAddress = ErrorCode(rawValue: 0x0F)
        /// Connection accept timeout exceeded.
        public static let connectionAcceptTimeoutExceeded = ErrorCode(rawValue: 0x10)
        /// Unsupported feature or parameter value.
        public static let unsupportedFeatureOrParameterValue = ErrorCode(rawValue: 0x11)
        /// Invalid HCI command parameters.
        public static let invalidCommandParameters = ErrorCode(rawValue: 0x12)
        /// Remote user terminated connection.
        public static let remoteUserTerminatedConnection = ErrorCode(rawValue: 0x13)
        /// Remote device terminated connection due to low resources.
        public static let remoteDeviceLowResources = ErrorCode(rawValue: 0x14)
        /// Remote device terminated connection due to power off.
        public static let remoteDevicePowerOff = ErrorCode(rawValue: 0x15)
        /// Connection terminated by local host.
        public static let connectionTerminatedByLocalHost = ErrorCode(rawValue: 0x16)
        /// Repeated attempts.
        public static let repeatedAttempts = ErrorCode(rawValue: 0x17)
        /// Pairing not allowed.
        public static let pairingNotAllowed = ErrorCode(rawValue: 0x18)
        /// Unknown LMP PDU.
        public static let unknownLMPPDU = ErrorCode(rawValue: 0x19)
        /// Unsupported remote feature.
        public static let unsupportedRemoteFeature = ErrorCode(rawValue: 0x1A)
        /// SCO offset rejected.
        public static let scoOffsetRejected = ErrorCode(rawValue: 0x1B)
        /// SCO interval rejected.
        public static let scoIntervalRejected = ErrorCode(rawValue: 0x1C)
        /// SCO air mode rejected.
        public static let scoAirModeRejected = ErrorCode(rawValue: 0x1D)
        /// Invalid LMP or LL parameters.
        public static let invalidLinkLayerParameters = ErrorCode(rawValue: 0x1E)
        /// Unspecified error.
        public static let unspecifiedError = ErrorCode(rawValue: 0x1F)
        /// Unsupported LMP or LL parameter value.
        public static let unsupportedLinkLayerParameterValue = ErrorCode(rawValue: 0x20)
        /// Role change not allowed.
        public static let roleChangeNotAllowed = ErrorCode(rawValue: 0x21)
        /// LMP or LL response timeout.
        public static let linkLayerResponseTimeout = ErrorCode(rawValue: 0x22)
        /// LL procedure collision.
        public static let linkLayerProcedureCollision = ErrorCode(rawValue: 0x23)
        /// LMP PDU not allowed.
        public static let lmpPDUNotAllowed = ErrorCode(rawValue: 0x24)
        /// Encryption mode not acceptable.
        public static let encryptionModeNotAcceptable = ErrorCode(rawValue: 0x25)
        /// Link key cannot be changed.
        public static let linkKeyCannotBeChanged = ErrorCode(rawValue: 0x26)
        /// Requested QoS not supported.
        public static let requestedQoSNotSupported = ErrorCode(rawValue: 0x27)
        /// Instant passed.
        public static let instantPassed = ErrorCode(rawValue: 0x28)
        /// Pairing with unit key not supported.
        public static let pairingWithUnitKeyNotSupported = ErrorCode(rawValue: 0x29)
        /// Different transaction collision.
        public static let differentTransactionCollision = ErrorCode(rawValue: 0x2A)
        /// QoS unacceptable parameter.
        public static let qosUnacceptableParameter = ErrorCode(rawValue: 0x2C)
        /// QoS rejected.
        public static let qosRejected = ErrorCode(rawValue: 0x2D)
        /// Channel assessment not supported.
        public static let channelClassificationNotSupported = ErrorCode(rawValue: 0x2E)
        /// Insufficient security.
        public static let insufficientSecurity = ErrorCode(rawValue: 0x2F)
        /// Parameter out of mandatory range.
        public static let parameterOutOfMandatoryRange = ErrorCode(rawValue: 0x30)
        /// Role switch pending.
        public static let roleSwitchPending = ErrorCode(rawValue: 0x32)
        /// Reserved slot violation.
        public static let reservedSlotViolation = ErrorCode(rawValue: 0x34)
        /// Role switch failed.
        public static let roleSwitchFailed = ErrorCode(rawValue: 0x35)
        /// Extended inquiry response too large.
        public static let extendedInquiryResponseTooLarge = ErrorCode(rawValue: 0x36)
        /// Secure simple pairing not supported by host.
        public static let simplePairingNotSupportedByHost = ErrorCode(rawValue: 0x37)
        /// Host busy - pairing.
        public static let hostBusyPairing = ErrorCode(rawValue: 0x38)
        /// Connection rejected due to no suitable channel found.
        public static let noSuitableChannelFound = ErrorCode(rawValue: 0x39)
        /// Controller busy.
        public static let controllerBusy = ErrorCode(rawValue: 0x3A)
        /// Unacceptable connection parameters.
        public static let unacceptableConnectionParameters = ErrorCode(rawValue: 0x3B)
        /// Advertising timeout.
        public static let advertisingTimeout = ErrorCode(rawValue: 0x3C)
        /// Connection terminated due to MIC failure.
        public static let messageIntegrityFailure = ErrorCode(rawValue: 0x3D)
        /// Connection failed to be established.
        public static let connectionFailedToBeEstablished = ErrorCode(rawValue: 0x3E)
        /// Coarse clock adjustment rejected.
        public static let coarseClockAdjustmentRejected = ErrorCode(rawValue: 0x40)
        /// Type 0 submap not defined.
        public static let type0SubmapNotDefined = ErrorCode(rawValue: 0x41)
        /// Unknown advertising identifier.
        public static let unknownAdvertisingIdentifier = ErrorCode(rawValue: 0x42)
        /// Limit reached.
        public static let limitReached = ErrorCode(rawValue: 0x43)
        /// Operation canceled by host.
        public static let operationCancelledByHost = ErrorCode(rawValue: 0x44)
        /// Packet too long.
        public static let packetTooLong = ErrorCode(rawValue: 0x45)

        /// The names, worded as in the specification.
        public static let names: [UInt8: String] = [
            0x00: "success",
            0x01: "unknown HCI command",
            0x02: "unknown connection identifier",
            0x03: "hardware failure",
            0x04: "page timeout",
            0x05: "authentication failure",
            0x06: "PIN or key missing",
            0x07: "memory capacity exceeded",
            0x08: "connection timeout",
            0x09: "connection limit exceeded",
            0x0A: "synchronous connection limit to a device exceeded",
            0x0B: "connection already exists",
            0x0C: "command disallowed",
            0x0D: "connection rejected due to limited resources",
            0x0E: "connection rejected due to security reasons",
            0x0F: "connection rejected due to unacceptable BD_ADDR",
            0x10: "connection accept timeout exceeded",
            0x11: "unsupported feature or parameter value",
            0x12: "invalid HCI command parameters",
            0x13: "remote user terminated connection",
            0x14: "remote device terminated connection due to low resources",
            0x15: "remote device terminated connection due to power off",
            0x16: "connection terminated by local host",
            0x17: "repeated attempts",
            0x18: "pairing not allowed",
            0x19: "unknown LMP PDU",
            0x1A: "unsupported remote feature",
            0x1B: "SCO offset rejected",
            0x1C: "SCO interval rejected",
            0x1D: "SCO air mode rejected",
            0x1E: "invalid LMP or LL parameters",
            0x1F: "unspecified error",
            0x20: "unsupported LMP or LL parameter value",
            0x21: "role change not allowed",
            0x22: "LMP or LL response timeout",
            0x23: "LL procedure collision",
            0x24: "LMP PDU not allowed",
            0x25: "encryption mode not acceptable",
            0x26: "link key cannot be changed",
            0x27: "requested QoS not supported",
            0x28: "instant passed",
            0x29: "pairing with unit key not supported",
            0x2A: "different transaction collision",
            0x2C: "QoS unacceptable parameter",
            0x2D: "QoS rejected",
            0x2E: "channel assessment not supported",
            0x2F: "insufficient security",
            0x30: "parameter out of mandatory range",
            0x32: "role switch pending",
            0x34: "reserved slot violation",
            0x35: "role switch failed",
            0x36: "extended inquiry response too large",
            0x37: "secure simple pairing not supported by host",
            0x38: "host busy - pairing",
            0x39: "connection rejected due to no suitable channel found",
            0x3A: "controller busy",
            0x3B: "unacceptable connection parameters",
            0x3C: "advertising timeout",
            0x3D: "connection terminated due to MIC failure",
            0x3E: "connection failed to be established",
            0x40: "coarse clock adjustment rejected",
            0x41: "type 0 submap not defined",
            0x42: "unknown advertising identifier",
            0x43: "limit reached",
            0x44: "operation cancelled by host",
            0x45: "packet too long",
        ]
    }
}
