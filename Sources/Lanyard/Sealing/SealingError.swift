// SPDX-License-Identifier: Apache-2.0

/// The reason why sealing or opening failed.
public enum SealingError: Error, Hashable, Sendable {
    /// The data was not opened: it is too short, was changed, belongs to another key or session, or
    /// was never sealed.
    ///
    /// The error does not tell these causes apart. An attacker who can send messages and learn
    /// whether their padding was wrong can read other messages byte by byte (a *padding oracle*).
    /// Therefore do not report the cause to the other side: drop the message.
    case refused
    /// The message is authentic, but it was opened before, or is older than an opened one: it was
    /// recorded and replayed.
    case replayed
    /// A key has 16, 24 or 32 bytes, not this many.
    case keyLength(Int)
    /// The two keys have different sizes.
    case keySizesDiffer
    /// Encryption and authentication have the same key.
    case keysAreEqual
    /// The passphrase is empty, the salt is shorter than ``SealingKey/minimumSaltLength`` bytes, or
    /// the number of rounds is less than ``SealingKey/minimumRounds`` or greater than
    /// 2,147,483,647.
    case weakDerivation
    /// The number of random bytes is negative or greater than ``RandomBytes/maximumCount``.
    case randomCount(Int)
    /// The session is not ready: wait for the answer of the other side.
    case sessionNotReady
    /// The session has sealed the maximum number of messages: start a new session.
    case sessionExhausted
    /// The sealing has no session whose keys can be replaced: only ``GCMSealing`` has one.
    case cannotRotate
    /// The message is too long to be sealed.
    case messageTooLong
}

extension SealingError: CustomStringConvertible {
    /// The error in words.
    public var description: String {
        switch self {
        case .refused: "the sealed message was refused"
        case .replayed: "the sealed message was sent before"
        case .keyLength(let count): "a key has 16, 24 or 32 bytes, not \(count)"
        case .keySizesDiffer: "the keys differ in size"
        case .keysAreEqual: "encryption and authentication need different keys"
        case .weakDerivation:
            "the passphrase is empty, the salt is too short, or the number of rounds is invalid"
        case .randomCount(let count): "\(count) random bytes are not available"
        case .sessionNotReady: "the session is not ready"
        case .sessionExhausted: "the session has sealed all the messages that it may"
        case .cannotRotate: "this sealing has no session whose keys can be replaced"
        case .messageTooLong: "the message is too long to be sealed"
        }
    }
}
