// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Synchronization

/// A pipe that joins a channel with standard input and output in both directions, without changing
/// a byte.
struct StandardStreamPipe: Sendable {
    /// The operations of a channel that the pipe needs.
    protocol Channel: Sendable {
        /// The maximum length in bytes of an SDU that the peer accepts.
        var sendLimit: Int { get async throws }
        func send(_ sdu: [UInt8]) async throws
        func receive() async throws -> [UInt8]?
        func close() async
    }

    /// The maximum number of bytes that one read returns.
    private static let pieceLimit = 65_536

    let channel: any Channel
    /// Reads at most the given number of bytes of the input; `nil` at its end.
    let read: @Sendable (Int) async throws -> [UInt8]?
    let write: @Sendable ([UInt8]) async throws -> Void
    /// Whether the pipe continues to receive after the end of the input, until the peer closes the
    /// channel.
    let outlivesInput: Bool
    /// Whether a read of the input would return at once.
    var isInputReady: @Sendable () -> Bool = { false }

    /// Runs until the peer closes the channel. Without `outlivesInput`, the pipe closes the channel
    /// itself when the input has ended and all of it is sent, and returns when the peer has
    /// received it. Throws if the peer closes the channel while a piece of the input is left to
    /// send.
    func run() async throws {
        let state = PipeState()
        do {
            try await FirstResult.of([
                { @Sendable in try await sendInput(state) },
                { @Sendable in try await writeOutput(state) },
            ])
        } catch {
            await channel.close()
            throw ProgramFailure(error, during: "moving data")
        }
    }

    private func sendInput(_ state: PipeState) async throws {
        do {
            let limit = try await channel.sendLimit
            while let piece = try await read(min(limit, Self.pieceLimit)) {
                state.sendingBegins()
                try await channel.send(piece)
                if state.sendingEnds(.idle), !isInputReady() { return }
            }
        } catch L2CAP.Failure.closedByPeer {
            let isLeftOver = if state.isSending { true } else { try await read(1) != nil }
            guard !state.sendingEnds(isLeftOver ? .cutOff : .over) else {
                if isLeftOver { throw Self.cutOff }
                return
            }
            // `writeOutput` ends the pipe after it has written all bytes that arrived before.
            return await EndOfInput.never()
        }
        guard !outlivesInput || state.sendingEnds(.over) else { return await EndOfInput.never() }
        await channel.close()
    }

    /// Returns when the peer has closed the channel. If this side closes it, `sendInput` decides
    /// when the pipe ends.
    private func writeOutput(_ state: PipeState) async throws {
        while let sdu = try await channel.receive() { try await write(sdu) }
        do {
            _ = try await channel.sendLimit
        } catch L2CAP.Failure.closed {
            return await EndOfInput.never()
        } catch {}
        switch state.outputEnds() {
        // `sendInput` finds out whether there is more input.
        case .idle where isInputReady(): await EndOfInput.never()
        case .idle, .over: return
        case .busy: await EndOfInput.never()
        case .cutOff: throw Self.cutOff
        }
    }

    private static let cutOff = ProgramFailure(
        .inputOutput,
        "the peer closed the channel before all of the input was sent",
        advice: "use --wait on the peer's side if it is lanyard channel"
    )
}

/// The state that the two halves of a pipe share, to find out whether a piece of the input was left
/// over when the peer closed the channel.
private final class PipeState: Sendable {
    enum Sending {
        /// Nothing is being sent.
        case idle
        /// A piece is in transmission.
        case busy
        /// The channel closed before a piece was sent.
        case cutOff
        /// The input has ended.
        case over
    }

    private let state = Mutex((sending: Sending.idle, isOutputOver: false))

    var isSending: Bool { state.withLock { $0.sending == .busy } }

    func sendingBegins() {
        state.withLock { $0.sending = .busy }
    }

    /// Records whether a piece was sent. Returns whether the output had ended before.
    func sendingEnds(_ sending: Sending) -> Bool {
        state.withLock {
            $0.sending = sending
            return $0.isOutputOver
        }
    }

    /// Records that all of the output is written. Returns the state of the input. If a piece is in
    /// transmission, the sending half ends the pipe.
    func outputEnds() -> Sending {
        state.withLock {
            $0.isOutputOver = true
            return $0.sending
        }
    }
}

extension L2CAPChannel: StandardStreamPipe.Channel {
    var sendLimit: Int {
        get async throws { try await properties.sendMTU }
    }
}

/// Standard input, read piece by piece on demand, so that the program that writes it waits while
/// the channel waits.
final class StandardInput: Sendable {
    private let descriptor: Int32
    /// The queue on which reads block while no input comes. A read cannot be canceled: it ends with
    /// input or with the process.
    private let queue = DispatchQueue(label: "lanyard.input")

    init(descriptor: Int32 = STDIN_FILENO) {
        self.descriptor = descriptor
    }

    /// Whether a read would return at once.
    var isReady: Bool {
        var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&interest, 1, 0) > 0
    }

    /// Returns the next input, at most `count` bytes; `nil` at the end.
    func read(upTo count: Int) async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { waiter in
            queue.async { [descriptor] in
                waiter.resume(with: Result { try Self.read(descriptor, count) })
            }
        }
    }

    private static func read(_ descriptor: Int32, _ count: Int) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let length = StandardStream.read(descriptor, into: &bytes)
        guard length >= 0 else {
            throw ProgramFailure(
                .inputOutput,
                "the input cannot be read: \(String(cString: strerror(errno)))"
            )
        }
        return length == 0 ? nil : Array(bytes[..<length])
    }
}
