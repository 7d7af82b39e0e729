// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A sealing of independent pieces of data: each is opened by itself.
public protocol DataSealing: Sendable {
    /// Seals data, so that only an owner of the key can read it.
    ///
    /// - Parameter data: The data.
    /// - Returns: The sealed data, which is longer than the data.
    /// - Throws: ``SealingError/messageTooLong`` if the data is too long to be sealed.
    func seal(_ data: Data) throws(SealingError) -> Data

    /// Opens sealed data.
    ///
    /// - Parameter sealed: The sealed data.
    /// - Returns: The data.
    /// - Throws: ``SealingError/refused`` for every cause.
    func open(_ sealed: Data) throws(SealingError) -> Data
}

/// A sealing of each message of a channel by itself, without a session, for accessories that do not
/// support sessions.
///
/// The sealing does not detect replayed messages. If a message has an effect ("open the door"), put
/// a number or a time into the message and check that, or use ``GCMSealing`` directly.
public struct SessionlessSealing<Sealing: DataSealing>: MessageSealing {
    private let sealing: Sealing

    /// Creates a sealing of messages from a sealing of data.
    ///
    /// - Parameter sealing: The sealing of each message.
    public init(_ sealing: Sealing) {
        self.sealing = sealing
    }

    /// Returns a session that is ready at once.
    ///
    /// - Parameter role: The side of the link, which does not affect the session.
    public func makeSession(as role: SealingRole) -> any SealingSession {
        SessionlessSession(sealing: sealing)
    }
}

/// A session without state.
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
    /// Returns a session that is ready at once and seals each message by itself.
    ///
    /// - Parameter role: The side of the link, which does not affect the session.
    public func makeSession(as role: SealingRole) -> any SealingSession {
        SessionlessSession(sealing: self)
    }
}
