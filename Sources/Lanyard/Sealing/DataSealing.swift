// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Seals one piece of data at a time: each is opened by itself, whatever came before.
public protocol DataSealing: Sendable {
    /// By how many octets sealed data is longer than the data, at most.
    var overhead: Int { get }

    /// Data that only who has the key can read.
    /// - Throws: `messageTooLong`.
    func seal(_ data: Data) throws(SealingError) -> Data

    /// What was sealed.
    /// - Throws: `refused`, whatever the reason.
    func open(_ sealed: Data) throws(SealingError) -> Data
}

/// Seals each message of a channel by itself, without a session: what an accessory understands that
/// knows nothing of sessions.
///
/// Nothing here finds a message that somebody recorded and sends again: where a message *does* something
/// ("open the door"), put a number or a time into it, and check that, or take `GCMSealing` itself.
public struct SessionlessSealing<Sealing: DataSealing>: MessageSealing {
    private let sealing: Sealing

    /// Seals messages as `sealing` seals data.
    public init(_ sealing: Sealing) {
        self.sealing = sealing
    }

    /// That of the sealing.
    public var overhead: Int { sealing.overhead }

    /// A session that is ready at once.
    public func makeSession(as role: SealingRole) -> any SealingSession {
        SessionlessSession(sealing: sealing)
    }
}

/// A session that is none.
struct SessionlessSession<Sealing: DataSealing>: SealingSession {
    let sealing: Sealing

    var greeting: Data? { nil }
    var isReady: Bool { true }

    func seal(_ message: Data) throws(SealingError) -> Data { try sealing.seal(message) }

    func open(_ sealed: Data) throws(SealingError) -> SealedArrival {
        .message(try sealing.open(sealed))
    }
}

extension MessageSealing where Self: DataSealing {
    /// A session that is ready at once and seals each message by itself.
    public func makeSession(as role: SealingRole) -> any SealingSession {
        SessionlessSession(sealing: self)
    }
}
