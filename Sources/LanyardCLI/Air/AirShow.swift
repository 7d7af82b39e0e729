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

    /// The time between two drawings of the table.
    private static let tablePeriod = Duration.seconds(1)
    /// The time between two looks for connections that came or went: a shorter one is not told.
    private static let linePeriod = Duration.milliseconds(50)

    private struct State {
        var area = LiveArea()
        var links: [UInt64: AirLink] = [:]
    }

    init(console: Console, isJSON: Bool, heading: String) {
        self.console = console
        self.isJSON = isJSON
        self.heading = heading
        isLive = console.isOutputTerminal && !isJSON
    }

    /// Shows the air until the task is cancelled.
    func run(_ air: LiveAir, _ events: AsyncStream<AirServer.Event>) async throws {
        defer { try? end() }
        try await FirstResult.of([
            { @Sendable in try await self.report(events, of: air) },
            { @Sendable in try await self.watch(air) },
        ])
    }

    /// Tells something, unless there is a table that shows it.
    func tell(_ news: AirNews) throws {
        guard !isLive else { return }
        try console.print(isJSON ? news.json.compact : news.line)
    }

    private func report(_ events: AsyncStream<AirServer.Event>, of air: LiveAir) async throws {
        for await event in events {
            switch event {
            case .connected(let host, let name): try tell(.connected(host: host, controller: name))
            case .disconnected(let host, let name, let cause):
                try tell(
                    .disconnected(host: host, controller: name, cause: cause.map { "\($0)" })
                )
            case .refused: try tell(.refused)
            }
        }
    }

    private func watch(_ air: LiveAir) async throws {
        while true {
            try show(await air.perform { $0.status })
            if let failure = air.failure {
                throw ProgramFailure(.internalError, "\(failure)", advice: "please report this")
            }
            try await Task.sleep(for: isLive ? Self.tablePeriod : Self.linePeriod)
        }
    }

    private func show(_ status: WorldStatus) throws {
        guard !isLive else { return try draw(status) }
        let now = status.airLinks
        let before = state.withLock { state in
            defer { state.links = now }
            return state.links
        }
        for (_, link) in before.sorted(by: { $0.key < $1.key }).filter({ now[$0.key] == nil }) {
            try tell(.unlinked(link))
        }
        for (_, link) in now.sorted(by: { $0.key < $1.key }).filter({ before[$0.key] == nil }) {
            try tell(.linked(link))
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
