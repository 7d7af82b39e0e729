// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Synchronization

/// The table of a scan on the whole terminal. Keys sort, filter and pause the table, and end the
/// scan.
final class LiveScan: Sendable {
    private let console: Console
    private let received: Latch
    private let now: @Sendable () -> Instant
    private let state: Mutex<State>

    private struct State {
        var view: ScanView
        var screen = FullScreen()
        var hasEnded = false
        /// Whether Ctrl-Z has stopped the process.
        var isStopped = false
    }

    /// The time between two drawings without a key.
    private static let period = Duration.milliseconds(250)

    /// Creates a display that has received no device.
    ///
    /// - Parameters:
    ///   - showsPlot: Whether the display begins with the signal over time.
    ///   - received: Set when a device is received.
    ///   - now: The current time.
    init(
        console: Console,
        showsPlot: Bool = false,
        received: Latch = Latch(),
        now: @escaping @Sendable () -> Instant
    ) {
        self.console = console
        self.received = received
        self.now = now
        state = Mutex(State(view: ScanView(showsPlot: showsPlot)))
    }

    /// Shows the discovered devices until the scan ends, `q` is typed, or the task is canceled. The
    /// last table is printed again below the earlier output of the terminal.
    func run(_ scan: AsyncThrowingStream<Advertisement, any Error>) async throws {
        let keys = console.keys()
        let signals = console.terminalSignals(
            DisplayHooks(
                willStop: { [self] in stop() },
                didContinue: { [self] in resume() },
                didResize: { [self] in try? draw() }
            )
        )
        defer {
            signals?.cancel()
            try? end()
        }
        try draw()
        try await FirstResult.of([
            { @Sendable in try await self.receive(scan) },
            { @Sendable in try await self.redraw() },
            { @Sendable in try await self.receive(keys) },
        ])
    }

    private func receive(_ scan: AsyncThrowingStream<Advertisement, any Error>) async throws {
        for try await advertisement in scan {
            let now = now()
            state.withLock { $0.view.receive(advertisement, at: now) }
            received.set()
        }
    }

    private func receive(_ keys: AsyncStream<[UInt8]>) async throws {
        for await bytes in keys {
            let now = now()
            if state.withLock({ $0.view.receive(keys: bytes, at: now) }) { return }
            try draw()
        }
        await EndOfInput.never()
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
            guard !state.hasEnded, !state.isStopped else { return }
            if !state.screen.isShown { console.setRawInput(true) }
            try console.write(state.screen.draw(table.lines(state.view, now: now)))
        }
    }

    /// Restores the terminal before the process stops.
    private func stop() {
        state.withLock { state in
            state.isStopped = true
            try? console.write(state.screen.end())
            console.setRawInput(false)
        }
    }

    /// Draws again after the process has continued.
    private func resume() {
        state.withLock { $0.isStopped = false }
        try? draw()
    }

    private func end() throws {
        let table = ScanTable(size: Console.Size(columns: console.size().columns, rows: .max))
        let now = now()
        // Because of the lock, no drawing is written after the last table.
        try state.withLock { state in
            state.hasEnded = true
            let last = table.finalLines(state.view, now: now).map { $0 + "\n" }.joined()
            defer { console.setRawInput(false) }
            try console.write(state.screen.end() + last)
        }
    }
}
