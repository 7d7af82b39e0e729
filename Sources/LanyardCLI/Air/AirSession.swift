// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Synchronization
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

/// One run of the command `air`: a virtual radio in real time that hosts reach over sockets.
struct AirSession: Sendable {
    let scenario: Scenario
    let addresses: [AdapterSpecification]
    let seed: UInt64
    /// The directory of the packet logs; `nil` for none.
    let traceDirectory: String?
    /// The address of RootCanal's Link Layer port, whose devices join the radio; `nil` for none.
    var rootCanal: AdapterSpecification?
    /// Whether the world has the example accessories.
    var hasExamples = false
    let isJSON: Bool
    let console: Console
    /// Waits for the end of the session. By default, only cancellation ends it.
    var isOver: @Sendable () async -> Void = { await EndOfInput.never() }

    /// The maximum number of events that wait for a slow reader of the output. Older events are
    /// dropped.
    private static let eventLimit = 65_536

    /// Runs until `isOver` returns or the task is canceled. Neither is a failure.
    ///
    /// - Throws: `ProgramFailure` if the session cannot start or continue.
    func run() async throws {
        let world = scenario.makeWorld(seed: seed)
        let playback = try scenario.addDevices(to: world)
        if hasExamples { try Scenario.addExamples(to: world) }
        let air = LiveAir(world)
        let traces = AirTraces(console: console)
        let end = await result { try await run(air, playback, traces) }
        await traces.check(air)
        air.shutDown()
        try end.get()
    }

    private func run(_ air: LiveAir, _ playback: ScenarioPlayback, _ traces: AirTraces) async throws
    {
        if let traceDirectory { await air.trace(into: traceDirectory) }
        let (events, feed) = AsyncStream.makeStream(
            of: AirEvent.self,
            bufferingPolicy: .bufferingNewest(Self.eventLimit)
        )
        let server = AirServer(air, waiting: playback.waiting) { feed.yield(AirEvent($0)) }
        await air.perform { AirLinks.report(in: $0) { feed.yield($0) } }
        let end = await result {
            let actual = try await listen(server).map(\.description)
            await air.play(playback)
            let keepJoined = try await join(air, feed)
            let show = AirDisplay(
                console: console,
                isJSON: isJSON,
                heading: "\(actual.joined(separator: " ")), seed \(seed)"
            )
            try show.report(.ready(addresses: actual, seed: seed))
            async let _: Void = keepJoined()
            try await show.run(air, events, traces, until: isOver)
        }
        await server.stop()
        try end.get()
    }

    private func listen(_ server: AirServer) async throws -> [AdapterSpecification] {
        var actual: [AdapterSpecification] = []
        for warning in addresses.compactMap(\.openness) { console.remark(warning) }
        for address in addresses {
            do {
                actual.append(try await server.listen(at: address))
            } catch {
                throw ProgramFailure(error, listeningAt: address)
            }
        }
        return actual
    }

    /// Joins RootCanal, if the session has its address. The radio continues if RootCanal ends.
    ///
    /// - Returns: A function that calls `RootCanalReconnector.rejoin(after:)`.
    private func join(
        _ air: LiveAir,
        _ feed: AsyncStream<AirEvent>.Continuation
    ) async throws -> @Sendable () async -> Void {
        guard case .tcp(let host, let port)? = rootCanal else { return {} }
        let reconnector = RootCanalReconnector(air: air, host: host, port: port) { feed.yield($0) }
        do {
            let end = try await reconnector.join()
            return { await reconnector.rejoin(after: end) }
        } catch {
            throw ProgramFailure(
                .adapterUnavailable,
                "cannot join RootCanal: \(TerminalText.escape("\(error)"))",
                advice: "start RootCanal first, and name its -link_ble_port"
            )
        }
    }

    /// Returns the result of the body. Cancellation is success, because an interruption is the
    /// normal end of a server.
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

/// The report of connections as they begin and end. Both reports use the names that the controllers
/// had at the beginning of the connection.
enum AirLinks {
    /// Reports the existing connections and all changes, on the world's thread.
    static func report(in world: World, _ send: @escaping @Sendable (AirEvent) -> Void) {
        var links: [UInt64: AirLink] = [:]
        world.observeLinks { [unowned world] change in
            switch change {
            case .made(let link):
                let made = AirLink(
                    central: name(of: link.central, in: world),
                    peripheral: name(of: link.peripheral, in: world)
                )
                links[link.number] = made
                send(.linked(made))
            case .ended(let link):
                if let ended = links.removeValue(forKey: link.number) { send(.unlinked(ended)) }
            }
        }
    }

    private static func name(of controller: ControllerID, in world: World) -> String {
        let name = world.name(of: controller)
        return name.isEmpty ? "\(controller)" : name
    }
}

/// The packet logs of a virtual radio. Only the first failure to write one is reported.
final class AirTraces: Sendable {
    private let console: Console
    private let isReported = Mutex(false)

    init(console: Console) {
        self.console = console
    }

    /// Reports a failure that was not reported before.
    func check(_ air: LiveAir) async {
        guard let failure = await air.traceFailure else { return }
        let isFirst = isReported.withLock { isReported in
            defer { isReported = true }
            return !isReported
        }
        guard isFirst else { return }
        console.remark(
            "lanyard: the packet logs are not complete: \(TerminalText.escape("\(failure)"))\n"
        )
    }
}

extension JSONFile {
    /// The kind of file that contains a scenario.
    static let scenario = JSONFile(subject: "scenario", manual: "docs/SCENARIOS.md")
}

extension Scenario {
    /// Reads the scenario in a file that the command line names.
    static func read(_ path: String) throws(ProgramFailure) -> Scenario {
        do throws(AdapterChoiceError) {
            return try ScenarioFile.read(path)
        } catch {
            throw ProgramFailure(error)
        }
    }

    /// Adds the example accessories to the world.
    static func addExamples(to world: World) throws(ProgramFailure) {
        do throws(WorldFullError) {
            try ExampleAccessories.populate(world)
        } catch {
            throw ProgramFailure(error)
        }
    }

    /// Adds the devices of the scenario to the world.
    func addDevices(to world: World) throws(ProgramFailure) -> ScenarioPlayback {
        do throws(WorldFullError) {
            return try populate(world)
        } catch {
            throw ProgramFailure(error)
        }
    }
}
