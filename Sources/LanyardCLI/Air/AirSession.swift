// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Synchronization
import VirtualAdapters
import VirtualRadio

/// One run of `air`: a world in real time that hosts reach over sockets.
struct AirSession: Sendable {
    let scenario: Scenario
    let addresses: [AdapterSpecification]
    let seed: UInt64
    /// Where packet logs go; nil for nowhere.
    let traceDirectory: String?
    let isJSON: Bool
    let console: Console
    /// Returns when the air is to end before its task is cancelled.
    var isOver: @Sendable () async -> Void = { await EndOfInput.never() }

    /// How much news waits for a slow reader of the output; older is lost.
    private static let newsLimit = 65_536

    /// Runs until the task is cancelled, which is no failure. Throws `ProgramFailure`.
    func run() async throws {
        let world = scenario.makeWorld(seed: seed)
        let stage = try scenario.enter(world)
        let air = LiveAir(world)
        let traces = AirTraces(console: console)
        let end = await result { try await run(air, stage, traces) }
        await traces.check(air)
        air.shutDown()
        try end.get()
    }

    private func run(_ air: LiveAir, _ stage: ScenarioStage, _ traces: AirTraces) async throws {
        if let traceDirectory { await air.trace(into: traceDirectory) }
        let (news, feed) = AsyncStream.makeStream(
            of: AirNews.self,
            bufferingPolicy: .bufferingNewest(Self.newsLimit)
        )
        let server = AirServer(air, waiting: stage.waiting) { feed.yield(AirNews($0)) }
        await air.perform { AirLinks.report(in: $0) { feed.yield($0) } }
        let end = await result {
            let actual = try await listen(server).map(\.description)
            await air.play(stage)
            let show = AirShow(
                console: console,
                isJSON: isJSON,
                heading: "\(actual.joined(separator: " ")), seed \(seed)"
            )
            try show.tell(.ready(addresses: actual, seed: seed))
            try await show.run(air, news, traces, until: isOver)
        }
        await server.stop()
        try end.get()
    }

    private func listen(_ server: AirServer) async throws -> [AdapterSpecification] {
        var actual: [AdapterSpecification] = []
        for address in addresses {
            do {
                actual.append(try await server.listen(at: address))
            } catch {
                throw ProgramFailure(.adapterUnavailable, TerminalText.escape("\(error)"))
            }
        }
        return actual
    }

    /// How the body ended. To be interrupted is how a server ends.
    private func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
        do {
            return .success(try await body())
        } catch is CancellationError {
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
