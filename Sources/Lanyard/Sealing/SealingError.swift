// SPDX-License-Identifier: Apache-2.0

/// Why something was not sealed or not opened.
public enum SealingError: Error, Hashable, Sendable {
    /// It was not opened: it is too short, was changed, is of another key or another session, or was
    /// never sealed.
    ///
    /// Which of these it is, is not said. Who can have messages opened and learns whether it was the
    /// padding that was wrong, can read messages octet by octet (a *padding oracle*); so never tell the
    /// other end why either, only drop the message.
    case refused
    /// It was sealed by the other end, but has been opened before, or is older than one that has: somebody
    /// recorded it and sends it again. Only what is authentic is ever called so.
    case replayed
    /// A key has 16, 24 or 32 octets, not this many.
    case keyLength(Int)
    /// The two keys that go together are not of one size.
    case keySizesDiffer
    /// A passphrase that is empty, salt of fewer than `SealingKey.minimumSaltLength` octets, or fewer
    /// rounds than `SealingKey.minimumRounds`.
    case weakDerivation
    /// So many random octets cannot be had: none below zero, and none above `RandomBytes.maximumCount`.
    case randomCount(Int)
    /// The session has not greeted the other end yet: wait until it is ready.
    case sessionNotReady
    /// The session has sealed as many messages as it may: begin a new one.
    case sessionExhausted
    /// The message is longer than can be sealed.
    case messageTooLong
}

extension SealingError: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .refused: "the sealed message was refused"
        case .replayed: "the sealed message was sent before"
        case .keyLength(let count): "a key has 16, 24 or 32 octets, not \(count)"
        case .keySizesDiffer: "the keys differ in size"
        case .weakDerivation: "the passphrase, the salt or the number of rounds is too small"
        case .randomCount(let count): "\(count) random octets cannot be had"
        case .sessionNotReady: "the session is not ready"
        case .sessionExhausted: "the session has sealed all the messages that it may"
        case .messageTooLong: "the message is too long to be sealed"
        }
    }
}
