// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// What both ends of a session of `GCMSealing` say to each other.
///
/// A key that lasts as long as an accessory needs nonces that never come twice, over all reconnects and
/// restarts of both ends, and neither end can be trusted to remember a counter. So no message is ever
/// sealed with that key: each link has a session with two keys of its own, one for each direction, made of
/// the lasting key and random octets *of both ends*. Counters begin at zero in it and serve as nonces.
///
/// ```
/// central                                          peripheral
///                                               ←    5, if no greeting comes
///   1 ‖ R₁ ‖ MAC(G, "central" ‖ R₁)             →
///                                               ←    2 ‖ R₂ ‖ MAC(G, "peripheral" ‖ R₁ ‖ R₂)
///   4 ‖ 0 ‖ GCM(C, nothing)                     →
///   3 ‖ 1 ‖ GCM(C, message)                     →
///                                               ←    3 ‖ 0 ‖ GCM(P, message)
/// ```
///
/// R₁ and R₂ are 16 random octets. G, C and P are made of the key with HKDF-SHA-256 (RFC 5869): G, of 32
/// octets, without salt for the purpose `Lanyard sealing 1: greetings`; C and P, as long as the key, with the
/// salt R₁ ‖ R₂ for `… central` and `… peripheral`. MAC is HMAC-SHA-256 cut to 16 octets. The counter behind
/// the first octet has 4 octets, the high one first; eight zeros and it are the nonce, and the first five
/// octets are authenticated with the message; the tag of 16 octets comes last.
///
/// What that gives:
///
/// - *Sent again*: within a session a counter has to be greater than all before; a session recorded
///   earlier, on this link or any other, before a restart or after, had other random octets of the end that
///   listens, thus other keys. That holds at both ends without either remembering anything.
/// - *Sent back*: what an end sealed is under the key of the other direction, and is refused.
/// - *Left out*: a message that never arrives is not noticed here, and does no harm to the next.
/// - *Restarted*: a central that starts again greets again; a peripheral that does so asks for it. Both keep
///   the session that they have until the new one has proved itself, so that a greeting or an invitation that
///   somebody sends does not end it.
/// - *No forward secrecy*: who learns the key reads what was recorded, too. Pairing with LE Secure Connections
///   under it gives that.
enum GCMSession {
    /// How many messages each end may seal: the counter never begins again.
    static let maximumMessages: UInt64 = 1 << 32
    /// The octets that each end draws.
    static let randomLength = 16
    /// The octets in front of a sealed message.
    static let headerLength = 5
    /// The octets of a greeting, and of an answer.
    static let greetingLength = 1 + randomLength + macLength
    private static let macLength = 16

    /// What a frame is, by its first octet.
    enum Kind: UInt8 {
        case greeting = 1
        case answer
        case message
        case confirmation
        case invitation
    }

    /// What a peripheral says that knows no session though there is a link. Anybody could say it: all that
    /// it brings about is a greeting.
    static let invitation = Data([Kind.invitation.rawValue])

    /// What a frame is; nil if it is none.
    static func kind(of frame: Data) -> Kind? {
        frame.first.flatMap(Kind.init(rawValue:))
    }

    /// The random octets of a greeting or an answer that is as long as one.
    static func random(in frame: Data) -> Data? {
        guard frame.count == greetingLength else { return nil }
        return Data(frame.dropFirst().prefix(randomLength))
    }

    /// The central's first frame.
    static func greeting(_ key: SealingKey, central: Data) -> Data {
        Data([Kind.greeting.rawValue]) + central
            + authenticationCode(key, Data("central".utf8) + central)
    }

    /// The peripheral's first frame.
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

/// One end's two directions of a session.
struct GCMDirections: Sendable {
    private let outgoing: GCMSealing
    private let incoming: GCMSealing
    private var sealedCount: UInt64 = 0
    /// Counters below are old.
    private var lowest: UInt64 = 0

    /// The session of these random octets, as the end in that role has it.
    init(_ key: SealingKey, role: SealingRole, central: Data, peripheral: Data) {
        let (own, other) = role == .central ? ("central", "peripheral") : ("peripheral", "central")
        let salt = central + peripheral
        outgoing = GCMSealing(key: key.derived(for: "Lanyard sealing 1: \(own)", salt: salt))
        incoming = GCMSealing(key: key.derived(for: "Lanyard sealing 1: \(other)", salt: salt))
    }

    /// Seals a frame of that kind.
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

    /// Opens a frame. Only what is authentic is looked at any further.
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

    /// Has the session sealed so many messages: for tests of its end.
    mutating func skip(to count: UInt64) { sealedCount = max(sealedCount, count) }

    private static func nonce(_ header: Data) -> Data {
        Data(count: GCMSealing.nonceLength - 4) + header.dropFirst()
    }
}
