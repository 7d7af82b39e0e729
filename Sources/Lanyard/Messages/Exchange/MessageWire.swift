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
        /// A frame that must be sent at once; it is already framed, and may be empty.
        case reply(Data)
        /// A frame that is not a message.
        case trouble(MessageChannelEvent)
    }

    private var framing: any MessageFraming
    private let sealing: (any MessageSealing)?
    package let role: SealingRole
    private var session: (any SealingSession)?

    /// Creates the layer of one side, before its first link.
    package init(_ options: MessageChannelOptions, as role: SealingRole) {
        framing = options.framing
        sealing = options.sealing
        self.role = role
    }

    /// Starts a new link: discards all state of the last one.
    package mutating func link() {
        framing.reset()
        session = sealing?.makeSession(as: role)
    }

    /// Whether messages can be sent.
    package var isReady: Bool { session?.isReady ?? (sealing == nil) }

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
            case .stray(let count): .trouble(.stray(count: count))
            case .broken(let count): .trouble(.broken(count: count))
            case .oversize(let limit): .trouble(.oversize(limit: limit))
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
            return .trouble(.unopened(.refused))
        }
        do throws(SealingError) {
            let arrival = try session.open(sealed)
            self.session = session
            return try take(arrival)
        } catch {
            return .trouble(.unopened(error))
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
