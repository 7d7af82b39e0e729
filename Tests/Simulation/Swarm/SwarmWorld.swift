// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Lanyard
import LanyardTesting
import VirtualAdapters
import VirtualRadio

/// The world of a scenario: an app with its accessories, and a gateway with its clients.
///
/// All work runs on the thread of the world.
final class SwarmWorld: Sendable {
    /// The maximum duration of a scenario in virtual time.
    private static let limit = Duration.seconds(7_200)
    /// The maximum duration of each wait for a recovery after the last fault: that of the app's
    /// accessories, and then that of each client of the gateway.
    private static let recoveryLimit = Duration.seconds(180)

    let app: AppHarness
    let gateway: Gateway?
    let scenario: SwarmScenario

    init(_ scenario: SwarmScenario) throws {
        self.scenario = scenario
        app = try AppHarness(
            seed: scenario.seed,
            straps: max(scenario.straps, 1),
            limit: scenario.slots,
            rooms: scenario.rooms,
            isProtected: scenario.isProtected
        )
        let air = app.world.air
        gateway =
            scenario.clients > 0
            ? try Gateway(seed: scenario.seed, clients: scenario.clients, on: air) : nil
        if let gateway {
            for controller in gateway.clients { air.world.assign(controller, toGroup: 1) }
        }
    }

    var radio: World { app.world.air.world }

    /// Runs the scenario. Throws if an invariant is violated.
    func run(observing coverage: SwarmCoverage?) async throws {
        coverage?.observe(radio)
        try await app.run(for: Self.limit) { [self] in
            try await gateway?.begin()
            try await app.pairAll()
            for accessory in app.accessories { accessory.connect() }
            for step in scenario.steps {
                try await perform(step)
                try await app.world.advance(by: .milliseconds(step.pause))
                try await check()
            }
            try await recover()
            await gateway?.end()
        }
        if let recording = app.recorder?.recording { coverage?.add(recording) }
        radio.finishWatching()
        try await app.check()
        // A controller without a host keeps no link. An accessory detects the end of a link by its
        // supervision timeout.
        try await app.world.run { [self] in try await app.world.advance(by: .seconds(30)) }
        let links = radio.status.links
        guard links.isEmpty else { throw app.failure("links remain at the end: \(links)") }
    }

    /// Ends all faults. Then all accessories must become ready, or as many as there are connection
    /// slots if there are fewer slots. Each client must complete a visit to the gateway.
    private func recover() async throws {
        endFaults()
        for accessory in app.accessories { accessory.connect() }
        // A link that has just failed is reported after the supervision timeout.
        try await app.world.advance(by: .seconds(6))
        if let slots = scenario.slots, slots < app.straps.count {
            try await expectEachReady()
        } else {
            try await app.expectAllReady(within: Self.recoveryLimit)
        }
        try await gateway?.expectVisits(within: Self.recoveryLimit)
        try await check()
    }

    /// Waits until as many accessories are ready as there are connection slots.
    private func expectEachReady() async throws {
        let end = app.world.now + Self.recoveryLimit
        while app.accessories.count(where: { $0.state == .ready }) < scenario.slots ?? 0 {
            guard app.world.now < end else {
                let states = app.accessories.map { "\($0.id): \($0.latestChange)" }
                throw app.failure("a slot stays empty: \(states.joined(separator: "\n"))")
            }
            try await app.world.advance(by: .milliseconds(100))
        }
    }

    // MARK: Invariants

    private func check() async throws {
        try await app.check()
        try gateway?.check()
        guard let report = await app.corridor?.report() else { return }
        let peers = report.peers.map(\.peer)
        guard Set(peers).count == peers.count else {
            throw app.failure("a peer has links on two radios: \(peers)")
        }
        let count = report.radios.map(\.linkCount).reduce(0, +)
        // Two radios can connect to a peer at the same time. `linkCount` then includes the second
        // link until the adapter has ended it, but `peers` does not.
        guard count <= 2 * app.straps.count else {
            throw app.failure("the radios have too many links: \(count)")
        }
    }
}
