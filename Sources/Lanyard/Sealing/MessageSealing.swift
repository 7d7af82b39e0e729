// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Seals the messages of a `MessageChannel`, so that nobody between the two ends can read them, and,
/// with all but `CBCSealing`, nobody can change them either.
///
/// `GCMSealing` is the one to take where both ends are yours; `CBCSealing` is for accessories that exist.
public protocol MessageSealing: Sendable {
    /// By how many octets a sealed message is longer than the message, at most.
    var overhead: Int { get }

    /// What one end of one link seals and opens with: a new one for every link.
    func makeSession(as role: SealingRole) -> any SealingSession
}

/// Which end of a link seals.
public enum SealingRole: Hashable, Sendable {
    /// The one that connects: it greets.
    case central
    /// The one that is connected to: it answers, and asks for a greeting only if none comes.
    case peripheral
}

/// One end of one link, as far as sealing goes. It knows no link and no clock: what it wants to be sent
/// it hands out.
public protocol SealingSession: Sendable {
    /// What has to be sent before anything else; nil if there is nothing, or no longer. The same octets
    /// may be sent again if no answer came. A central's is sent with the link, a peripheral's if nothing made
    /// it ready for a while.
    var greeting: Data? { get }

    /// Whether messages can be sealed; they have to wait until then.
    var isReady: Bool { get }

    /// Seals a message that is to be sent.
    /// - Throws: `sessionNotReady`, `sessionExhausted`, `messageTooLong`.
    mutating func seal(_ message: Data) throws(SealingError) -> Data

    /// Opens what arrived.
    /// - Throws: `refused` or `replayed`; the session goes on as if nothing had arrived.
    mutating func open(_ sealed: Data) throws(SealingError) -> SealedArrival
}

/// What it was that arrived sealed.
public enum SealedArrival: Hashable, Sendable {
    /// A message of the application at the other end.
    case message(Data)
    /// Nothing for the application, but this is to be sent at once.
    case answer(Data)
    /// Nothing for the application.
    case nothing
}
