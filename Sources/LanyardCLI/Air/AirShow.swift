// SPDX-License-Identifier: Apache-2.0

import Synchronization
import VirtualAdapters
import VirtualRadio

/// What `air` shows: on a terminal a table that is kept up to date, otherwise a line for each thing
/// that happens.
final class AirShow: Sendable {
    private let console: Console
    private let isJSON: Bool
    private let heading: String
    private let isLive: Bool
    private let state = Mutex(State())

    /// The time between two looks at the air, and two drawings of the table.
    private static let period = Duration.seconds(1)

    private struct State {
        var area = LiveArea()
    }

    init(console: Console, isJSON: Bool, heading: String) {
        self.console = console
        self.isJSON = isJSON
        self.heading = heading
        isLive = console.isOutputTerminal && !isJSON
    }

    /// Shows the air until it is over, or the task is cancelled.
    func run(
        _ air: LiveAir,
        _ news: AsyncStream<AirNews>,
        _ traces: AirTraces,
        until isOver: @escaping @Sendable () async -> Void
    ) async throws {
        defer { try? end() }
        try await FirstResult.of([
            { @Sendable in try await self.tell(all: news) },
            { @Sendable in try await self.watch(air, traces) },
            { @Sendable in await isOver() },
        ])
    }

    /// Tells something, unless there is a table that shows it.
    func tell(_ news: AirNews) throws {
        guard !isLive else { return }
        try console.print(isJSON ? news.json.compact : news.line)
    }

    private func tell(all news: AsyncStream<AirNews>) async throws {
        for await one in news { try tell(one) }
        // When nothing is told any more, the other work goes on until the task is cancelled.
        await EndOfInput.never()
    }

    private func watch(_ air: LiveAir, _ traces: AirTraces) async throws {
        while true {
            if isLive {
                try draw(await air.perform { $0.status })
            } else {
                await traces.check(air)
            }
            if let failure = air.failure {
                throw ProgramFailure(.internalError, "\(failure)", advice: "please report this")
            }
            try await Task.sleep(for: Self.period)
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
