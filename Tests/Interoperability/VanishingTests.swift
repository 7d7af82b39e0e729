// SPDX-License-Identifier: Apache-2.0

import Testing

/// Whatever dies while we explore, and whenever: a clear error within five seconds, and the next
/// command works.
@Suite(.needsPeers) struct VanishingTests {
    static let points = 1...20
    static let limit: Duration = .seconds(60)

    /// How long an exploration may go on when the other side is gone.
    static let patience: Duration = .seconds(5)

    /// And when it is there and silent: the step's own limit comes first, then the farewell's.
    static let patienceWithSilence: Duration = .seconds(10)

    @Test(arguments: ControllerKind.available, points)
    func aControllerThatVanishesIsAClearError(kind: ControllerKind, point: Int) async throws {
        try await explore(kind, point: point, do: .close) { _ in }
    }

    @Test(arguments: ControllerKind.available, points)
    func anAccessoryThatVanishesIsAClearError(kind: ControllerKind, point: Int) async throws {
        try await explore(kind, point: point, do: .hold) { accessory in
            accessory.process.kill()
        }
    }

    @Test(arguments: ControllerKind.available, [2, 7, 12, 17])
    func aControllerThatHangsIsAClearError(kind: ControllerKind, point: Int) async throws {
        try await explore(kind, point: point, do: .hang) { _ in }
    }

    /// Explores through a wire, and acts at the given twentieth of the octets that an undisturbed
    /// exploration brings; then explores again, undisturbed.
    private func explore(
        _ kind: ControllerKind,
        point: Int,
        do break: Relay.Break,
        act: (Accessory) -> Void
    ) async throws {
        let total = try await Self.totals[kind]?.value ?? 0
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind, count: 3)
            let first = try await peers.accessory(.large, on: controllers.adapters[0])
            let place = total * point / (Self.points.count + 1)
            let relay = try await peers.relay(to: controllers.adapters[1], at: place, do: `break`)

            let trace = Trace()
            let tool = try LanyardTool.start(
                ["explore", first.address, "--json", "--trace", trace.path]
                    + Self.options(kind, `break`),
                adapter: relay.adapter
            )
            do {
                try await relay.reached(within: Self.limit)
            } catch {
                tool.kill()
                Issue.record("the point was not reached: \(tool.log)")
                trace.keep()
                throw error
            }
            act(first)
            relay.release()
            let (output, ending) = try await tool.waitUntilEnd(
                within: `break` == .hang || kind == .lanyard
                    ? Self.patienceWithSilence : Self.patience
            )
            expectClearError(output: output, ending: ending, log: tool.log, after: `break`)
            if Dissection.isPossible { try await trace.expectWellFormed() }

            let second = try await peers.accessory(
                .demo,
                on: controllers.adapters[2],
                address: "F1:A0:00:00:00:02"
            )
            let again = try await LanyardTool.run(
                "explore",
                second.address,
                "--json",
                adapter: relay.adapter
            )
            try #require(again.succeeded, "\(again.errors)")
            #expect(try JSON(parsing: again.output).differences(from: second.database) == [])
        }
    }

    /// Our own controllers say no good-bye when they are pulled: the supervision timeout, of five
    /// seconds, has to tell.
    private static func options(_ kind: ControllerKind, _ break: Relay.Break) -> [String] {
        kind == .lanyard && `break` == .hold ? ["--timeout", "8"] : []
    }

    /// One line that says what happened, no half of a result, and the exit status for it.
    private func expectClearError(
        output: String,
        ending: ChildProcess.Ending,
        log: String,
        after break: Relay.Break
    ) {
        let status: Int32 =
            switch `break` {
            case .close: 69  // the adapter cannot be used
            case .hold: 74  // the link was lost
            case .hang: 75  // no answer in the time allowed
            }
        #expect(ending == .exited(status), "\(log)")
        #expect(output.isEmpty)
        #expect(log.split(separator: "\n").last?.hasPrefix("lanyard: ") == true, "\(log)")
    }

    /// How many octets an undisturbed exploration brings; measured once for each kind.
    private static let totals = Dictionary(
        uniqueKeysWithValues: ControllerKind.available.map { kind in
            (kind, Task { try await octetsOfAnExploration(kind) })
        }
    )

    private static func octetsOfAnExploration(_ kind: ControllerKind) async throws -> Int {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let accessory = try await peers.accessory(.large, on: controllers.adapters[0])
            let relay = try await peers.relay(to: controllers.adapters[1])
            let result = try await LanyardTool.run(
                "explore",
                accessory.address,
                "--json",
                adapter: relay.adapter
            )
            try #require(result.succeeded, "\(result.errors)")
            return try await relay.passed(within: limit)
        }
    }
}
