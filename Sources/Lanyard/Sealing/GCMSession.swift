// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The protocol of a `GCMSealing` session.
///
/// A permanent key requires nonces that never repeat, across all reconnections and restarts of both
/// sides, and neither side can be relied on to store a counter. Therefore the permanent key seals
/// no message. Each link has a session with two keys of its own, one for each direction, which are
/// derived from the permanent key and random bytes *of both sides*. In a session, counters start at
/// zero and serve as nonces.
///
/// ```
/// central                                          peripheral
///                                               ←    5, if no greeting arrives
///   1 ‖ R₁ ‖ MAC(G, "central" ‖ R₁)             →
///                                               ←    2 ‖ R₂ ‖ MAC(G, "peripheral" ‖ R₁ ‖ R₂)
///   4 ‖ 0 ‖ GCM(C, nothing)                     →
///   3 ‖ 1 ‖ GCM(C, message)                     →
///                                               ←    3 ‖ 0 ‖ GCM(P, message)
/// ```
///
/// R₁ and R₂ are 16 random bytes each. HKDF-SHA-256 (RFC 5869) of the permanent key gives G, C and
/// P. G has 32 bytes, no salt and the info `Lanyard sealing 1: greetings`. C and P have the length
/// of the permanent key, the salt R₁ ‖ R₂, and the infos `… central` and `… peripheral`. MAC is
/// HMAC-SHA-256, truncated to 16 bytes. The first byte of a frame is its kind. The counter follows,
/// with 4 bytes in big-endian order. The nonce is eight zeros and the counter. The first five bytes
/// are authenticated with the message. The tag of 16 bytes comes last.
///
/// The properties of the protocol:
///
/// - *Replay*: within a session a counter must be greater than all earlier ones. A session that was
///   recorded earlier, on this link or another, before or after a restart, had other random bytes
///   of the receiving side and therefore other keys. Both sides have this property without any
///   stored state.
/// - *Reflection*: each direction has its own key, so a side refuses its own frames.
/// - *Omission*: a lost message is not detected, and does not affect the next one.
/// - *Restart*: a central that restarts greets again; a peripheral that restarts asks for a
///   greeting. Both keep the current session until the new one is confirmed, so that a forged
///   greeting or invitation does not end it.
/// - *Rotation*: either side replaces the keys of an open session. The central sends a new
///   greeting. The peripheral asks for one: `5` alone means a greeting with the current key, and
///   `5` with the name of another permanent key means a greeting with that key. Both sides know
///   that key already. The name is the first 8 bytes of a key that is derived with the info
///   `Lanyard sealing 1: name` (32 bytes, no salt). The former session still opens messages that
///   are on their way, so none is lost.
/// - *No forward secrecy*: an owner of the key can also read recorded sessions. Pairing with LE
///   Secure Connections on the link provides forward secrecy.
enum GCMSession {
    /// The maximum number of sealed frames of each side: the counter never wraps around.
    static let maximumMessages: UInt64 = 1 << 32
    /// The length of each side's random bytes.
    static let randomLength = 16
    /// The length of the header of a sealed message, in bytes.
    static let headerLength = 5
    /// The length of a greeting and of an answer, in bytes.
    static let greetingLength = 1 + randomLength + macLength
    private static let macLength = 16

    /// The kind of a frame, in its first byte.
    enum Kind: UInt8 {
        case greeting = 1
        case answer
        case message
        case confirmation
        case invitation
    }

    /// A peripheral's request for a greeting with the current key. It is not authenticated, because
    /// its only effect is a greeting.
    static let invitation = Data([Kind.invitation.rawValue])

    /// The length of a key's name in bytes.
    static let nameLength = 8

    /// Returns the name by which an invitation identifies a permanent key. It reveals nothing about
    /// the key.
    static func name(of key: SealingKey) -> Data {
        key.derived(for: "Lanyard sealing 1: name", size: .bits256).bytes.prefix(nameLength)
    }

    /// Returns the kind of a frame; `nil` if it has none.
    static func kind(of frame: Data) -> Kind? {
        frame.first.flatMap(Kind.init(rawValue:))
    }

    /// Returns the random bytes of a greeting or answer; `nil` if the length is wrong.
    static func random(in frame: Data) -> Data? {
        guard frame.count == greetingLength else { return nil }
        return Data(frame.dropFirst().prefix(randomLength))
    }

    /// Returns the central's first frame.
    static func greeting(_ key: SealingKey, central: Data) -> Data {
        Data([Kind.greeting.rawValue]) + central
            + authenticationCode(key, Data("central".utf8) + central)
    }

    /// Returns the peripheral's first frame.
    static func answer(_ key: SealingKey, central: Data, peripheral: Data) -> Data {
        Data([Kind.answer.rawValue]) + peripheral
            + authenticationCode(key, Data("peripheral".utf8) + central + peripheral)
    }

    private static func authenticationCode(_ key: SealingKey, _ input: Data) -> Data {
        let key = key.derived(for: "Lanyard sealing 1: greetings", size: .bits256)
        return Data(HMAC<SHA256>.authenticationCode(for: input, using: key.secret))
            .prefix(macLength)
    }
}

/// The keys and the counters of both directions of a session, for one side.
struct GCMDirections: Sendable {
    private let outgoing: GCMSealing
    private let incoming: GCMSealing
    private var sealedCount: UInt64 = 0
    /// The lowest counter that is accepted.
    private var lowest: UInt64 = 0

    /// Creates the session with these random bytes for the side with this role.
    init(_ key: SealingKey, role: SealingRole, central: Data, peripheral: Data) {
        let (own, other) = role == .central ? ("central", "peripheral") : ("peripheral", "central")
        let salt = central + peripheral
        outgoing = GCMSealing(key: key.derived(for: "Lanyard sealing 1: \(own)", salt: salt))
        incoming = GCMSealing(key: key.derived(for: "Lanyard sealing 1: \(other)", salt: salt))
    }

    /// Seals a frame of this kind.
    mutating func seal(
        _ message: Data,
        as kind: GCMSession.Kind = .message
    ) throws(SealingError) -> Data {
        guard sealedCount < GCMSession.maximumMessages else { throw .sessionExhausted }
        let counter = withUnsafeBytes(of: UInt32(truncatingIfNeeded: sealedCount).bigEndian) {
            Data($0)
        }
        let header = Data([kind.rawValue]) + counter
        let sealed = try outgoing.seal(
            message,
            authenticating: header,
            nonce: Self.nonce(header)
        )
        sealedCount += 1
        return header + sealed.dropFirst(GCMSealing.nonceLength)
    }

    /// Opens a frame. The counter is checked only after the authentication.
    mutating func open(_ frame: Data) throws(SealingError) -> Data {
        let header = Data(frame.prefix(GCMSession.headerLength))
        guard header.count == GCMSession.headerLength else { throw .refused }
        let sealed = Self.nonce(header) + frame.dropFirst(GCMSession.headerLength)
        let message = try incoming.open(sealed, authenticating: header)
        let counter = header.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard counter >= lowest else { throw .replayed }
        lowest = counter + 1
        return message
    }

    /// Sets the number of sealed messages, for tests of the limit.
    mutating func skip(to count: UInt64) { sealedCount = max(sealedCount, count) }

    private static func nonce(_ header: Data) -> Data {
        Data(count: GCMSealing.nonceLength - 4) + header.dropFirst()
    }
}
