// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

/// Joins a channel with standard input and output, octet for octet, in both directions.
struct ChannelPipe: Sendable {
    /// What the pipe needs of a channel.
    protocol Channel: Sendable {
        /// The longest SDU that the peer takes, in octets.
        var sendLimit: Int { get async throws }
        func send(_ sdu: [UInt8]) async throws
        func receive() async throws -> [UInt8]?
        func close() async
    }

    /// The most octets that are read at once.
    private static let pieceLimit = 65_536

    let channel: any Channel
    /// At most so many octets of the input; nil at its end.
    let read: @Sendable (Int) async throws -> [UInt8]?
    let write: @Sendable ([UInt8]) async throws -> Void
    /// Whether to go on receiving until the peer closes the channel when the input has ended.
    let outlivesInput: Bool

    /// Runs until the input has ended and all of it has arrived, or the peer closes the channel.
    /// Throws if that comes too early: when there is input that cannot be sent any more.
    func run() async throws {
        let halves = Halves()
        do {
            try await FirstResult.of([
                { @Sendable in try await sendInput(halves) },
                { @Sendable in try await writeOutput(halves) },
            ])
        } catch {
            await channel.close()
            throw ProgramFailure(error, during: "moving data")
        }
    }

    private func sendInput(_ halves: Halves) async throws {
        do {
            let limit = try await channel.sendLimit
            while let piece = try await read(min(limit, Self.pieceLimit)) {
                halves.sendingBegins()
                try await channel.send(piece)
                if halves.sendingEnds(.idle) { return }
            }
        } catch L2CAP.Failure.closedByPeer {
            let isLeftOver = if halves.isSending { true } else { try await read(1) != nil }
            if isLeftOver, halves.sendingEnds(.cutOff) { throw Self.cutOff }
            // The output ends it, when it has written what came before.
            return await EndOfInput.never()
        }
        guard !outlivesInput else { return await EndOfInput.never() }
        await channel.close()
    }

    /// Returns when the peer has closed the channel. If this side does, `sendInput` knows better
    /// when it is over.
    private func writeOutput(_ halves: Halves) async throws {
        while let sdu = try await channel.receive() { try await write(sdu) }
        do {
            _ = try await channel.sendLimit
        } catch L2CAP.Failure.closed {
            return await EndOfInput.never()
        } catch {}
        switch halves.outputEnds() {
        case .idle: return
        case .busy: await EndOfInput.never()
        case .cutOff: throw Self.cutOff
        }
    }

    private static let cutOff = ProgramFailure(
        .inputOutput,
        "the other side closed the channel before all of the input was sent",
        advice: "let it wait for that: lanyard channel does with --wait"
    )
}

/// What the two halves of a pipe know of each other. Whichever is the last to notice that the peer
/// has closed the channel says how it ended: all output is written by then, and it is known
/// whether a piece of the input was left over.
private final class Halves: Sendable {
    enum Sending {
        /// Nothing is being sent.
        case idle
        /// A piece is being sent.
        case busy
        /// A piece could not be sent.
        case cutOff
    }

    private let state = Mutex((sending: Sending.idle, isOutputOver: false))

    var isSending: Bool { state.withLock { $0.sending == .busy } }

    func sendingBegins() {
        state.withLock { $0.sending = .busy }
    }

    /// A piece was sent or not. Returns whether the output was over before.
    func sendingEnds(_ sending: Sending) -> Bool {
        state.withLock {
            $0.sending = sending
            return $0.isOutputOver
        }
    }

    /// All of the output is written. Returns what became of the input: if that is not known yet,
    /// who sends ends the pipe.
    func outputEnds() -> Sending {
        state.withLock {
            $0.isOutputOver = true
            return $0.sending
        }
    }
}

extension L2CAPChannel: ChannelPipe.Channel {
    var sendLimit: Int {
        get async throws { try await properties.sendMTU }
    }
}
