// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import LanyardTestSupport
import ProcessTestSupport
import Synchronization

@testable import HCITransports

/// The controller's side of a serial line: its UART, and behind it a controller.
///
/// Bytes pass in both directions as the state of the line says: with noise, in pieces with pauses in
/// between, at a speed that must be the one of the other end, or not at all.
final class UART: Sendable {
    /// How the line is.
    struct Line: Sendable {
        var toHost: NoisyWire?
        var toController: NoisyWire?
        /// At which speed this end is; nil for whatever the other has.
        var speed: Int?
        /// Into pieces of how many bytes everything for the host is cut; nil to leave it whole.
        var pieceLength: Int?
        /// How long the line rests between two pieces.
        var pause: Duration?
        /// Whether nothing passes.
        var isCut = false
        /// How many bytes have passed towards the host.
        var passedToHost = 0
    }

    private struct State {
        var line = Line()
        var stream: ByteStream?
        /// Pieces for the host, while the line rests.
        var waiting: [[UInt8]] = []
        var timer: (any HostTimer)?
        var random = LanyardTestSupport.SplitMix64(seed: 0xBAD_5EED)
    }

    let terminal: PseudoTerminal
    private let controller: any HCITransport
    private let executor: AdapterExecutor
    private let state = Mutex(State())
    private let (heard, hearing) = AsyncStream.makeStream(of: Int.self)

    /// Connects a controller to the near end of a terminal.
    init(
        _ terminal: PseudoTerminal,
        to controller: any HCITransport,
        on executor: AdapterExecutor
    ) async throws {
        self.terminal = terminal
        self.controller = controller
        self.executor = executor
        try await controller.open(on: executor) { [weak self] event in
            if case .received(let bytes) = event { self?.carryToHost(Array(bytes)) }
        }
        await connect()
    }

    /// The line as it is; a change of it counts from the next byte on.
    var line: Line {
        get { state.withLock { $0.line } }
        set { state.withLock { $0.line = newValue } }
    }

    /// Waits until the host has said something since the last time.
    func waitForHost() async throws {
        try await within(Workbench.limit, "a word of the host's") { [heard] in
            for await _ in heard { return }
        }
    }

    /// Hears the terminal that is plugged in now.
    func connect() async {
        await withCheckedContinuation { done in
            executor.perform { [self] in
                listen()
                done.resume()
            }
        }
    }

    private func listen() {
        guard let near = terminal.near else { return }
        let stream = ByteStream(
            near,
            .terminal,
            name: "UART",
            executor: executor,
            receive: { [weak self] event in
                if case .received(let bytes) = event { self?.carryToController(Array(bytes)) }
            },
            ended: { _ in }
        )
        let timer = executor.makeTimer { [weak self] in self?.sendNextPiece() }
        state.withLock { state in
            state.stream = stream
            state.timer = timer
            state.waiting = []
        }
        stream.start()
    }

    /// Lets go of the terminal, and unplugs it.
    func unplug() async {
        await withCheckedContinuation { done in
            executor.perform { [self] in
                state.withLock { $0.stream }?.close()
                state.withLock { $0.stream = nil }
                terminal.unplug()
                done.resume()
            }
        }
    }

    /// Lets go of terminal and controller.
    func dismantle() async {
        await unplug()
        await withCheckedContinuation { done in
            executor.perform { [controller] in
                controller.close()
                done.resume()
            }
        }
    }

    /// Says something to the host that no controller said.
    func sayToHost(_ bytes: [UInt8]) async {
        await withCheckedContinuation { done in
            executor.perform { [self] in
                carryToHost(bytes)
                done.resume()
            }
        }
    }
}

// MARK: - The two directions

extension UART {
    private func carryToController(_ bytes: [UInt8]) {
        hearing.yield(bytes.count)
        let speed = terminal.speed
        let arrived = state.withLock { state -> [UInt8] in
            if state.line.isCut { return [] }
            guard state.line.speed ?? speed == speed else {
                return state.random.bytes(bytes.count)
            }
            return state.line.toController?.carry(bytes) ?? bytes
        }
        if !arrived.isEmpty { controller.send([arrived]) }
    }

    private func carryToHost(_ bytes: [UInt8]) {
        let speed = terminal.speed
        let (pieces, stream) = state.withLock { state -> ([[UInt8]], ByteStream?) in
            if state.line.isCut { return ([], nil) }
            state.line.passedToHost += bytes.count
            var arriving = bytes
            if state.line.speed ?? speed != speed {
                arriving = state.random.bytes(bytes.count)
            } else if let struck = state.line.toHost?.carry(bytes) {
                arriving = struck
            }
            return (Self.cut(arriving, state.line.pieceLength), state.stream)
        }
        let isPaused = state.withLock { state in
            guard state.line.pause != nil || !state.waiting.isEmpty else { return false }
            state.waiting += pieces
            return true
        }
        guard !isPaused else { return startPieces() }
        for piece in pieces { stream?.send([piece]) }
    }

    private static func cut(_ bytes: [UInt8], _ length: Int?) -> [[UInt8]] {
        guard let length else { return bytes.isEmpty ? [] : [bytes] }
        return stride(from: 0, to: bytes.count, by: length).map { start in
            Array(bytes[start..<min(start + length, bytes.count)])
        }
    }

    private func startPieces() {
        let (timer, pause) = state.withLock { ($0.timer, $0.line.pause ?? .zero) }
        timer?.set(to: executor.now + pause)
    }

    private func sendNextPiece() {
        let (piece, stream, isMore) = state.withLock { state in
            let piece = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            return (piece, state.stream, !state.waiting.isEmpty)
        }
        if let piece { stream?.send([piece]) }
        if isMore { startPieces() }
    }
}
