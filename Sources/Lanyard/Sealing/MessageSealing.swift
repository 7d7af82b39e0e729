// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A sealing of the messages of a ``MessageChannel``. An attacker between the two sides cannot read
/// the messages and, except with ``CBCSealing``, cannot change them without detection.
///
/// Use ``GCMSealing`` if you control both sides, and ``CBCSealing`` for accessories that support
/// nothing else.
public protocol MessageSealing: Sendable {
    /// Creates the session of one side of a link; each link has a new session.
    ///
    /// - Parameter role: The side of the link.
    /// - Returns: The session.
    func makeSession(as role: SealingRole) -> any SealingSession
}

/// The side of a link.
public enum SealingRole: Hashable, Sendable {
    /// The side that connects. It sends the first frame, which is a greeting.
    case central
    /// The side that accepts the connection: it answers greetings, and asks for one if none arrives
    /// or if it replaces keys.
    case peripheral
}

/// The sealing on one side of a link. A session does no I/O and has no clock: it returns the frames
/// that must be sent.
public protocol SealingSession: Sendable {
    /// The frame that begins a session with the other side; `nil` if no such frame is needed now. A
    /// central sends it at the start of the link. A peripheral sends it only if its session does
    /// not become ready for a while. It may be sent again if no answer arrives.
    var greeting: Data? { get }

    /// Whether messages can be sealed; until then they must wait.
    var isReady: Bool { get }

    /// Seals an outgoing message.
    ///
    /// - Parameter message: The message.
    /// - Returns: The frame that must be sent.
    /// - Throws: ``SealingError/sessionNotReady`` if ``isReady`` is `false`;
    ///   ``SealingError/sessionExhausted`` if the session has sealed the maximum number of
    ///   messages; ``SealingError/messageTooLong`` if the message is too long to be sealed.
    mutating func seal(_ message: Data) throws(SealingError) -> Data

    /// Opens a received frame.
    ///
    /// - Parameter sealed: The frame.
    /// - Returns: The contents of the frame.
    /// - Throws: ``SealingError/refused`` if the frame is not valid in this session;
    ///   ``SealingError/replayed`` if the frame, or a later one, was opened before. In both cases
    ///   the session continues as if the frame had not arrived.
    mutating func open(_ sealed: Data) throws(SealingError) -> SealedArrival
}

/// The contents of a received frame.
public enum SealedArrival: Hashable, Sendable {
    /// A message of the app on the other side.
    case message(Data)
    /// No message, but a frame that must be sent at once.
    case answer(Data)
    /// No message.
    case nothing
}
