// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Synchronization

/// A scan shown as a table that is redrawn in place.
final class LiveScan: Sendable {
    private let console: Console
    private let now: @Sendable () -> Instant
    private let state = Mutex(State())

    private struct State {
        var board = SightingBoard()
        var area = LiveArea()
        var hasEnded = false
    }

    /// The time between two drawings.
    private static let period = Duration.milliseconds(250)

    init(console: Console, now: @escaping @Sendable () -> Instant) {
        self.console = console
        self.now = now
    }

    /// Shows what the scan brings, until it ends or the task is cancelled. The last table stays.
    func run(_ scan: AsyncThrowingStream<Advertisement, any Error>) async throws {
        defer { try? end() }
        try await FirstResult.of([
            { @Sendable in try await self.receive(scan) },
            { @Sendable in try await self.redraw() },
        ])
    }

    private func receive(_ scan: AsyncThrowingStream<Advertisement, any Error>) async throws {
        for try await advertisement in scan {
            let now = now()
            state.withLock { $0.board.receive(advertisement, at: now) }
        }
    }

    private func redraw() async throws {
        while true {
            try draw()
            try await Task.sleep(for: Self.period)
        }
    }

    private func draw() throws {
        let table = ScanTable(size: console.size())
        let now = now()
        try state.withLock { state in
            guard !state.hasEnded else { return }
            try console.write(state.area.draw(table.lines(state.board.sorted, now: now)))
        }
    }

    private func end() throws {
        try draw()
        // A drawing that was on its way must not come after this.
        try state.withLock { state in
            state.hasEnded = true
            try console.write(state.area.end())
        }
    }
}
