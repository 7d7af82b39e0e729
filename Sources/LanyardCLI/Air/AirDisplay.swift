// SPDX-License-Identifier: Apache-2.0

import Synchronization
import VirtualAdapters
import VirtualRadio

/// The output of `air`: on a terminal and without JSON, a table that is updated. Otherwise, a line
/// for each event.
final class AirDisplay: Sendable {
    private let console: Console
    private let isJSON: Bool
    private let heading: String
    private let isLive: Bool
    private let state = Mutex(State())

    /// The time between two drawings of the table.
    private static let period = Duration.seconds(1)
    /// The time between two readings of the displays of accessories, if there is no table.
    private static let screenPeriod = Duration.milliseconds(250)

    private struct State {
        var area = LiveArea()
        /// The texts on the displays of accessories.
        var screens: [ControllerID: String] = [:]
    }

    init(console: Console, isJSON: Bool, heading: String) {
        self.console = console
        self.isJSON = isJSON
        self.heading = heading
        isLive = console.isOutputTerminal && !isJSON
    }

    /// Shows the events until the session is over or the task is canceled.
    func run(
        _ air: LiveAir,
        _ events: AsyncStream<AirEvent>,
        _ traces: AirTraces,
        until isOver: @escaping @Sendable () async -> Void
    ) async throws {
        defer { try? end() }
        try await FirstResult.of([
            { @Sendable in try await self.report(all: events) },
            { @Sendable in try await self.watch(air, traces) },
            { @Sendable in await isOver() },
        ])
    }

    /// Prints an event, unless a table shows the state.
    func report(_ event: AirEvent) throws {
        guard !isLive else { return }
        try console.print(isJSON ? event.json.timed().compact : event.line)
    }

    private func report(all events: AsyncStream<AirEvent>) async throws {
        for await event in events { try report(event) }
        // The end of the events does not end the display.
        await EndOfInput.never()
    }

    private func watch(_ air: LiveAir, _ traces: AirTraces) async throws {
        while true {
            if isLive {
                try draw(await air.perform { $0.status })
            } else {
                try reportScreens(of: await air.perform { $0.status })
                await traces.check(air)
            }
            if let failure = air.failure {
                throw ProgramFailure(.internalError, "\(failure)", advice: "please report this")
            }
            try await Task.sleep(for: isLive ? Self.period : Self.screenPeriod)
        }
    }

    /// Reports the displays whose text has changed.
    private func reportScreens(of status: WorldStatus) throws {
        for controller in status.controllers {
            let text = controller.screen
            let isNew = state.withLock { state in
                defer { state.screens[controller.id] = text }
                return state.screens[controller.id] != text
            }
            guard isNew, let text else { continue }
            try report(.display(controller: controller.label, text: text))
        }
    }

    private func draw(_ status: WorldStatus) throws {
        let table = AirTable(size: console.size(), heading: heading)
        try state.withLock { try console.write($0.area.draw(table.lines(status))) }
    }

    private func end() throws {
        guard isLive else { return }
        try state.withLock { try console.write($0.area.end()) }
    }
}
