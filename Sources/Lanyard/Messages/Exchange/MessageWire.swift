// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The layer between messages and chunks: it seals and frames.
///
/// ```
/// message -> seal -> (Base64, if the framing carries text only) -> frame -> chunks
/// ```
package struct MessageWire {
    /// The result of a received frame.
    package enum Arrival {
        /// A message of the app on the other side.
        case message(Data)
        /// A complete frame that must be sent at once; it may be empty.
        case reply(Data)
        /// An event to report.
        case report(MessageChannelEvent)
    }

    private var framing: any MessageFraming
    private var sealing: (any MessageSealing)?
    package let role: SealingRole
    private var session: (any SealingSession)?

    /// Creates the layer of one side, before its first link.
    package init(_ options: MessageChannelOptions, as role: SealingRole) {
        framing = options.framing
        sealing = options.sealing
        self.role = role
    }

    /// Starts a new link: discards an incomplete frame, and starts a new session of the sealing.
    package mutating func link() {
        framing.reset()
        session = sealing?.makeSession(as: role)
    }

    /// Whether messages can be sent.
    package var isReady: Bool { session?.isReady ?? (sealing == nil) }

    // MARK: Rotation

    private var rotating: (any RotatingSession)? { session as? any RotatingSession }

    /// Whether this side has requested new keys that are not yet in use.
    var isRotating: Bool { rotating?.isRotating ?? false }

    /// The permanent keys of the session; `nil` if its keys cannot be replaced.
    var keys: SealingKeyRing? { rotating?.keys }

    /// The number of sessions of this link so far.
    var sessionCount: Int { rotating?.sessionCount ?? 0 }

    /// Accepts another permanent key, on this link and on later ones.
    mutating func accept(_ key: SealingKey) {
        guard var sealing = sealing as? GCMSealing else { return }
        sealing.keys.accept(key)
        self.sealing = sealing
        guard var session = rotating else { return }
        session.keys.accept(key)
        self.session = session
    }

    /// Requests new session keys. `greeting` then returns the frame that must be sent.
    mutating func beginRotation(to key: SealingKey?) throws(MessageError) {
        guard sealing is GCMSealing, var session = rotating else {
            throw .sealing(SealingError.cannotRotate.description)
        }
        guard session.isReady else { throw .sealing(SealingError.sessionNotReady.description) }
        session.rotate(to: key)
        self.session = session
    }

    /// Withdraws the request for new keys.
    mutating func endRotation() {
        guard var session = rotating else { return }
        session.endRotation()
        self.session = session
    }

    /// Keeps the permanent keys of the session for the next link.
    private mutating func keepKeys() {
        guard let keys, var sealing = sealing as? GCMSealing, sealing.keys != keys
        else { return }
        sealing.keys = keys
        self.sealing = sealing
    }

    /// Returns the framed greeting, which must be sent first; `nil` if none is needed.
    func greeting() throws(MessageError) -> Data? {
        guard let greeting = session?.greeting else { return nil }
        return try frame(greeting)
    }

    /// Returns the sealed and framed form of a message.
    package mutating func encode(_ message: Data) throws(MessageError) -> Data {
        guard let session else { return try framing.frame(message) }
        return try frame(try seal(message, with: session))
    }

    private mutating func seal(
        _ message: Data,
        with session: any SealingSession
    ) throws(MessageError) -> Data {
        do throws(SealingError) {
            var session = session
            let sealed = try session.seal(message)
            self.session = session
            return sealed
        } catch {
            throw .sealing(error.description)
        }
    }

    /// Returns the results of the frames that a chunk completes.
    package mutating func receive(_ chunk: Data) -> [Arrival] {
        framing.receive(chunk).map { event in
            switch event {
            case .message(let message): open(message)
            case .stray(let count): .report(.stray(count: count))
            case .broken(let count): .report(.broken(count: count))
            case .oversize(let limit): .report(.oversize(limit: limit))
            }
        }
    }

    /// Frames binary data, as Base64 if the framing carries only text.
    private func frame(_ bytes: Data) throws(MessageError) -> Data {
        try framing.frame(framing.carriesAnyByte ? bytes : bytes.base64EncodedData())
    }

    private mutating func open(_ frame: Data) -> Arrival {
        guard var session else { return .message(frame) }
        guard let sealed = framing.carriesAnyByte ? frame : Data(base64Encoded: frame) else {
            return .report(.unopened(.refused))
        }
        do throws(SealingError) {
            let arrival = try session.open(sealed)
            self.session = session
            keepKeys()
            return try take(arrival)
        } catch {
            return .report(.unopened(error))
        }
    }

    private func take(_ arrival: SealedArrival) throws(SealingError) -> Arrival {
        switch arrival {
        case .message(let message): return .message(message)
        case .answer(let bytes):
            guard let framed = try? frame(bytes) else { throw .messageTooLong }
            return .reply(framed)
        case .nothing: return .reply(Data())
        }
    }
}
