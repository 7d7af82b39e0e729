// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What lies between messages and chunks: sealing inside, framing outside.
///
/// ```
/// message -> seal -> (Base64, if the framing carries text only) -> frame -> chunks
/// ```
struct MessageWire {
    /// What came.
    enum Arrival {
        case message(Data)
        /// Nothing for anybody here, but these octets are to be sent at once, framed already.
        case reply(Data)
        case trouble(MessageChannelEvent)
    }

    private var framing: any MessageFraming
    private let sealing: (any MessageSealing)?
    let role: SealingRole
    private var session: (any SealingSession)?

    init(_ options: MessageChannelOptions, as role: SealingRole) {
        framing = options.framing
        sealing = options.sealing
        self.role = role
    }

    /// A new link: nothing of the last one counts.
    mutating func link() {
        framing.reset()
        session = sealing?.makeSession(as: role)
    }

    /// Whether messages can go.
    var isReady: Bool { session?.isReady ?? (sealing == nil) }

    /// What has to be sent first, framed; nil if nothing has to.
    func greeting() throws(MessageError) -> Data? {
        guard let greeting = session?.greeting else { return nil }
        return try frame(greeting)
    }

    /// A message as it goes over the link.
    mutating func encode(_ message: Data) throws(MessageError) -> Data {
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

    /// What is complete with a chunk.
    mutating func receive(_ chunk: Data) -> [Arrival] {
        framing.receive(chunk).map { event in
            switch event {
            case .message(let message): open(message)
            case .stray(let count): .trouble(.stray(count: count))
            case .broken(let count): .trouble(.broken(count: count))
            case .oversize(let limit): .trouble(.oversize(limit: limit))
            }
        }
    }

    /// Octets that are not text, in a frame.
    private func frame(_ octets: Data) throws(MessageError) -> Data {
        try framing.frame(framing.carriesAnyOctet ? octets : octets.base64EncodedData())
    }

    private mutating func open(_ frame: Data) -> Arrival {
        guard var session else { return .message(frame) }
        guard let sealed = framing.carriesAnyOctet ? frame : Data(base64Encoded: frame) else {
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
        case .answer(let octets):
            guard let framed = try? frame(octets) else { throw .messageTooLong }
            return .reply(framed)
        case .nothing: return .reply(Data())
        }
    }
}
