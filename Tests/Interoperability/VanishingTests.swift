// SPDX-License-Identifier: Apache-2.0

import Testing

/// A component fails at any moment of an exploration: the command fails with a clear error, and the
/// next command works.
@Suite(.needsPeers) struct VanishingTests {
    /// The points at which an exploration is disturbed. Point n is n/21 of the bytes that an
    /// undisturbed exploration receives. The points of a group use the same controllers, and the
    /// same second accessory, which is explored after each disturbance.
    static let points = [Array(1...5), Array(6...10), Array(11...15), Array(16...20)]
    static let limit: Duration = .seconds(60)

    @Test(
        "The explore command reports a controller that vanishes",
        arguments: ControllerKind.available,
        points
    )
    func vanishingController(kind: ControllerKind, points: [Int]) async throws {
        try await explore(kind, points: points, do: .close) { _ in }
    }

    @Test(
        "The explore command reports an accessory that vanishes",
        arguments: ControllerKind.available,
        points
    )
    func vanishingAccessory(kind: ControllerKind, points: [Int]) async throws {
        try await explore(kind, points: points, do: .hold) { accessory in
            accessory.process.kill()
        }
    }

    @Test(
        "The explore command reports a controller that hangs",
        arguments: ControllerKind.available,
        [[2, 7, 12, 17]]
    )
    func hangingController(kind: ControllerKind, points: [Int]) async throws {
        try await explore(kind, points: points, do: .hang) { _ in }
    }

    /// For each point, explores an accessory through a new relay that breaks at the point, and
    /// calls `act` there. Then explores a second accessory without a disturbance.
    private func explore(
        _ kind: ControllerKind,
        points: [Int],
        do break: Relay.Break,
        act: (Accessory) -> Void
    ) async throws {
        let total = try await Self.totals[kind]?.value ?? 0
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind, count: 3)
            let second = try await peers.accessory(
                .demo,
                on: controllers.adapters[2],
                address: "F1:A0:00:00:00:02"
            )
            for point in points {
                let first = try await peers.accessory(.large, on: controllers.adapters[0])
                defer { first.process.kill() }
                let place = total * point / (Self.points.joined().count + 1)
                let relay = try await peers.relay(
                    to: controllers.adapters[1],
                    at: place,
                    do: `break`
                )
                defer { relay.process.kill() }
                try await disturb(first, kind, at: point, of: relay, do: `break`, act: act)
                let again = try await LanyardTool.run(
                    "explore",
                    second.address,
                    "--json",
                    adapter: relay.adapter
                )
                try #require(again.succeeded, "point \(point): \(again.errors)")
                #expect(try JSON(parsing: again.output).differences(from: second.database) == [])
            }
        }
    }

    /// Explores an accessory until the relay breaks, calls `act`, and expects a clear error.
    private func disturb(
        _ accessory: Accessory,
        _ kind: ControllerKind,
        at point: Int,
        of relay: Relay,
        do break: Relay.Break,
        act: (Accessory) -> Void
    ) async throws {
        let trace = Trace()
        let tool = try LanyardTool.start(
            ["explore", accessory.address, "--json", "--trace", trace.path]
                + Self.options(kind, `break`),
            adapter: relay.adapter
        )
        do {
            try await relay.reached(within: Self.limit)
        } catch {
            tool.kill()
            Issue.record("point \(point) was not reached: \(tool.log)")
            trace.keep()
            throw error
        }
        act(accessory)
        relay.release()
        let (output, ending) = try await AsyncSemaphore.peers.releasing {
            try await tool.waitUntilEnd(within: Self.limit)
        }
        expectClearError(
            output: output,
            ending: ending,
            log: tool.log,
            after: `break`,
            at: point
        )
        if Dissection.isPossible { try await trace.expectWellFormed() }
    }

    /// Returns the options of the command. If the relay holds the bytes, the time limit of a step
    /// is long, so that the link is lost before a step times out.
    private static func options(_ kind: ControllerKind, _ break: Relay.Break) -> [String] {
        `break` == .hold ? ["--timeout", "60"] : []
    }

    /// Expects a line with the reason, no partial result, and the right exit status.
    private func expectClearError(
        output: String,
        ending: ChildProcess.Ending,
        log: String,
        after break: Relay.Break,
        at point: Int
    ) {
        let status: Int32 =
            switch `break` {
            case .close: 69  // the adapter cannot be used
            case .hold: 74  // the link was lost
            case .hang: 75  // no answer in the time allowed
            }
        #expect(ending == .exited(status), "point \(point): \(log)")
        #expect(output.isEmpty, "point \(point)")
        #expect(
            log.split(separator: "\n").last?.hasPrefix(#"{"error":"#) == true,
            "point \(point): \(log)"
        )
    }

    /// The number of bytes that an undisturbed exploration receives, measured once for each kind.
    private static let totals = Dictionary(
        uniqueKeysWithValues: ControllerKind.available.map { kind in
            (kind, Task { try await bytesOfAnExploration(kind) })
        }
    )

    private static func bytesOfAnExploration(_ kind: ControllerKind) async throws -> Int {
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
