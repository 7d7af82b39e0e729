// SPDX-License-Identifier: Apache-2.0

extension Pairing {
    /// Why pairing failed, as the sides tell each other (Vol 3, Part H, 3.5.5).
    public struct FailureReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The octet that travels.
        public let rawValue: UInt8

        /// Any octet: later versions of the specification may name more.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Nobody entered the passkey, or somebody gave up.
        public static let passkeyEntryFailed = FailureReason(rawValue: 0x01)
        /// What was to be handed over in another way is not there.
        public static let outOfBandDataNotAvailable = FailureReason(rawValue: 0x02)
        /// The two sides can do nothing that one of them would be content with.
        public static let authenticationRequirements = FailureReason(rawValue: 0x03)
        /// A confirm value does not fit: a wrong passkey, or somebody in the middle.
        public static let confirmValueFailed = FailureReason(rawValue: 0x04)
        /// The device does not pair, or not now.
        public static let pairingNotSupported = FailureReason(rawValue: 0x05)
        /// The key would be too short.
        public static let encryptionKeySize = FailureReason(rawValue: 0x06)
        /// The device does not know the command.
        public static let commandNotSupported = FailureReason(rawValue: 0x07)
        /// Anything else.
        public static let unspecified = FailureReason(rawValue: 0x08)
        /// Too little time has passed since the last failure.
        public static let repeatedAttempts = FailureReason(rawValue: 0x09)
        /// A command has a wrong length, or a value that it cannot have.
        public static let invalidParameters = FailureReason(rawValue: 0x0A)
        /// The shared secrets differ, or a public key is none.
        public static let dhKeyCheckFailed = FailureReason(rawValue: 0x0B)
        /// The numbers are not the same, as somebody has said.
        public static let numericComparisonFailed = FailureReason(rawValue: 0x0C)
        /// The device does not take the key.
        public static let keyRejected = FailureReason(rawValue: 0x0F)
        /// The device is not ready to pair.
        public static let busy = FailureReason(rawValue: 0x10)

        /// The reason in a few words; those that have no name print their number.
        public var description: String {
            switch self {
            case .passkeyEntryFailed: "the passkey was not entered"
            case .outOfBandDataNotAvailable: "the data out of band is not there"
            case .authenticationRequirements: "the two sides cannot protect each other enough"
            case .confirmValueFailed: "the values do not fit"
            case .pairingNotSupported: "it does not pair, or not now"
            case .encryptionKeySize: "the key would be too short"
            case .commandNotSupported: "the command is not known"
            case .unspecified: "for no reason that it gave"
            case .repeatedAttempts: "too soon after a failure"
            case .invalidParameters: "a value is wrong"
            case .dhKeyCheckFailed: "the keys do not fit"
            case .numericComparisonFailed: "the digits are not the same"
            case .keyRejected: "the key was not taken"
            case .busy: "it is busy"
            default: "reason \(rawValue)"
            }
        }
    }

    /// Why a pairing came to nothing.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// We refused, and told the peer why.
        case refused(FailureReason)
        /// The peer refused, and told us why.
        case refusedByPeer(FailureReason)
        /// The person who was asked said no, or nobody was there to be asked.
        case declined
        /// 30 seconds went by without a step. If pairing had begun, nothing can be paired on this
        /// link any more.
        case timedOut
        /// After failures, this peer is not paired with again before so much time has passed.
        case tooSoon(Duration)
        /// Pairing runs on this link already.
        case busy
        /// The link could not be encrypted with the key that was agreed on.
        case notEncrypted
        /// The link ended.
        case linkEnded
        /// The caller gave up.
        case cancelled

        /// What happened, in a few words.
        public var description: String {
            switch self {
            case .refused(let reason): "refused by us: \(reason)"
            case .refusedByPeer(let reason): "refused by the peer: \(reason)"
            case .declined: "declined here"
            case .timedOut: "30 s without a step"
            case .tooSoon: "too soon after a failure"
            case .busy: "a pairing is under way"
            case .notEncrypted:
                "the link could not be encrypted with the key that was agreed on"
            case .linkEnded: "the link ended"
            case .cancelled: "cancelled"
            }
        }
    }
}
