// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import LanyardTestSupport
import ProcessTestSupport
import Synchronization

@testable import HCITransports

/// The controller's side of a serial line: its UART, and behind it a controller.
///
/// Bytes pass in both directions as the state of the line specifies: with errors, as random bytes
/// if the ends have different speeds, to the host in pieces with pauses, or not at all.
final class UART: Sendable {
    /// The state of the line.
    struct Line: Sendable {
        var toHost: NoisyWire?
        var toController: NoisyWire?
        /// The speed of this end, or `nil` for the speed of the other end.
        var speed: Int?
        /// The length of the pieces into which all data for the host is cut, or `nil` if the data
        /// stays whole.
        var pieceLength: Int?
        /// The pause between two pieces.
        var pause: Duration?
        /// Whether no bytes pass.
        var isCut = false
        /// The number of bytes that have passed to the host.
        var passedToHost = 0
    }

    private struct State {
        var line = Line()
        var stream: ByteStream?
        /// Pieces for the host during a pause.
        var waiting: [[UInt8]] = []
        var timer: (any HostTimer)?
        var random = SplitMix64(seed: 0xBAD_5EED)
    }

    let terminal: PseudoTerminal
    private let controller: any HCITransport
    private let executor: AdapterExecutor
    private let state = Mutex(State())
    /// A closure that is called on the executor when the host has sent bytes at a wrong speed,
    /// which the controller does not answer.
    private let misunderstood = Mutex<(@Sendable () -> Void)?>(nil)
    private let (received, receiving) = AsyncStream.makeStream(of: Int.self)

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

    /// The state of the line. A change applies from the next byte on.
    var line: Line {
        get { state.withLock { $0.line } }
        set { state.withLock { $0.line = newValue } }
    }

    func whenMisunderstood(_ body: @escaping @Sendable () -> Void) {
        misunderstood.withLock { $0 = body }
    }

    /// Waits until the host has sent bytes since the last call.
    func waitForHost() async throws {
        try await within(SerialHarness.limit, "data from the host") { [received] in
            for await _ in received { return }
        }
    }

    /// Connects to the terminal that is plugged in now.
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

    /// Disconnects from the terminal, and unplugs it.
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

    /// Disconnects from the terminal and the controller.
    func dismantle() async {
        await unplug()
        await withCheckedContinuation { done in
            executor.perform { [controller] in
                controller.close()
                done.resume()
            }
        }
    }

    /// Sends bytes to the host that did not come from the controller.
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
        receiving.yield(bytes.count)
        let speed = terminal.speed
        var isMistaken = false
        let arrived = state.withLock { state -> [UInt8] in
            if state.line.isCut { return [] }
            guard state.line.speed ?? speed == speed else {
                isMistaken = true
                return state.random.bytes(bytes.count)
            }
            return state.line.toController?.carry(bytes) ?? bytes
        }
        if !arrived.isEmpty { controller.send([arrived]) }
        if isMistaken { misunderstood.withLock { $0 }?() }
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
