// SPDX-License-Identifier: Apache-2.0

extension Pairing {
    /// The reason for a failed pairing, as peers exchange it (Vol 3, Part H, 3.5.5).
    public struct FailureReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The reason's number in the PDU.
        public let rawValue: UInt8

        /// Creates a reason from any number, because later versions of the specification may define
        /// more.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The user did not enter the passkey, or canceled.
        public static let passkeyEntryFailed = FailureReason(rawValue: 0x01)
        /// The out-of-band data is not available.
        public static let outOfBandDataNotAvailable = FailureReason(rawValue: 0x02)
        /// The capabilities of the devices do not satisfy the requirements of one of them.
        public static let authenticationRequirements = FailureReason(rawValue: 0x03)
        /// A confirm value is wrong, because of a wrong passkey or a man in the middle.
        public static let confirmValueFailed = FailureReason(rawValue: 0x04)
        /// The device does not support pairing, or does not permit it now.
        public static let pairingNotSupported = FailureReason(rawValue: 0x05)
        /// The key would be too short.
        public static let encryptionKeySize = FailureReason(rawValue: 0x06)
        /// The device does not support the command.
        public static let commandNotSupported = FailureReason(rawValue: 0x07)
        /// Any other reason.
        public static let unspecified = FailureReason(rawValue: 0x08)
        /// Too little time has passed since the last failure.
        public static let repeatedAttempts = FailureReason(rawValue: 0x09)
        /// A command has a wrong length, or a value that is not allowed.
        public static let invalidParameters = FailureReason(rawValue: 0x0A)
        /// The shared secrets differ, or a public key is not valid.
        public static let dhKeyCheckFailed = FailureReason(rawValue: 0x0B)
        /// The user reported that the numbers are not equal.
        public static let numericComparisonFailed = FailureReason(rawValue: 0x0C)
        /// The device does not accept the key.
        public static let keyRejected = FailureReason(rawValue: 0x0F)
        /// The device is not ready to pair.
        public static let busy = FailureReason(rawValue: 0x10)

        /// The reason in a few words, or the number of a reason without a name.
        public var description: String {
            switch self {
            case .passkeyEntryFailed: "the passkey was not entered"
            case .outOfBandDataNotAvailable: "the out-of-band data is not available"
            case .authenticationRequirements: "the devices cannot meet the security requirements"
            case .confirmValueFailed: "the confirm values do not match"
            case .pairingNotSupported: "pairing is not supported or not permitted now"
            case .encryptionKeySize: "the key would be too short"
            case .commandNotSupported: "the command is not supported"
            case .unspecified: "unspecified reason"
            case .repeatedAttempts: "too soon after a failure"
            case .invalidParameters: "a parameter is invalid"
            case .dhKeyCheckFailed: "the keys do not match"
            case .numericComparisonFailed: "the numbers are not equal"
            case .keyRejected: "the key was rejected"
            case .busy: "the device is busy"
            default: "reason \(rawValue)"
            }
        }
    }

    /// The reason why a pairing failed.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The local device refused for this reason. The peer received the reason, unless the local
        /// device refused before it sent a PDU.
        case refused(FailureReason)
        /// The peer refused with this reason.
        case refusedByPeer(FailureReason)
        /// The user refused, or no user was available.
        case declined
        /// The pairing made no progress for 30 seconds. Unless the peer had only not answered a
        /// Security Request, no further pairing is possible on this link.
        case timedOut
        /// After failures, no pairing with this peer is permitted until the given time has passed.
        case tooSoon(Duration)
        /// A pairing is in progress on this link already, or a Security Request is unanswered.
        case busy
        /// The link could not be encrypted with the new key, or its encryption ended during the
        /// pairing.
        case notEncrypted
        /// The link ended.
        case linkEnded
        /// The caller canceled the pairing.
        case cancelled

        /// A short phrase that describes the failure.
        public var description: String {
            switch self {
            case .refused(let reason): "refused by the local device: \(reason)"
            case .refusedByPeer(let reason): "refused by the peer: \(reason)"
            case .declined: "declined here"
            case .timedOut: "no progress for 30 seconds"
            case .tooSoon: "too soon after a failure"
            case .busy: "another pairing is in progress"
            case .notEncrypted:
                "the link could not be encrypted with the new key"
            case .linkEnded: "the link ended"
            case .cancelled: "canceled"
            }
        }
    }
}
