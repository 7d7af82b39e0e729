// SPDX-License-Identifier: Apache-2.0

extension Pairing {
    /// Why pairing failed, as the sides tell each other (Vol 3, Part H, 3.5.5).
    public struct FailureReason: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let passkeyEntryFailed = FailureReason(rawValue: 0x01)
        public static let outOfBandDataNotAvailable = FailureReason(rawValue: 0x02)
        public static let authenticationRequirements = FailureReason(rawValue: 0x03)
        public static let confirmValueFailed = FailureReason(rawValue: 0x04)
        public static let pairingNotSupported = FailureReason(rawValue: 0x05)
        public static let encryptionKeySize = FailureReason(rawValue: 0x06)
        public static let commandNotSupported = FailureReason(rawValue: 0x07)
        public static let unspecified = FailureReason(rawValue: 0x08)
        public static let repeatedAttempts = FailureReason(rawValue: 0x09)
        public static let invalidParameters = FailureReason(rawValue: 0x0A)
        public static let dhKeyCheckFailed = FailureReason(rawValue: 0x0B)
        public static let numericComparisonFailed = FailureReason(rawValue: 0x0C)
        public static let keyRejected = FailureReason(rawValue: 0x0F)
        public static let busy = FailureReason(rawValue: 0x10)
    }

    /// Why a pairing came to nothing.
    public enum Failure: Error, Hashable, Sendable {
        /// We refused, and told the peer why.
        case refused(FailureReason)
        /// The peer refused, and told us why.
        case refusedByPeer(FailureReason)
        /// The person who was asked said no, or nobody was there to be asked.
        case declined
        /// 30 seconds went by without a step. On this link nothing can be paired any more.
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
    }
}
