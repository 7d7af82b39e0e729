// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Lanyard
import LanyardTesting
import VirtualAdapters
import VirtualRadio

/// The world of a scenario: an application with its accessories, and a gateway with its clients.
///
/// Everything runs on the thread of the world.
final class SwarmWorld: Sendable {
    /// The limit of a world in virtual time.
    private static let limit = Duration.seconds(7_200)
    /// The time in which all devices must work again after the last fault.
    private static let recoveryLimit = Duration.seconds(180)

    let life: Life
    let gateway: Gateway?
    let scenario: SwarmScenario

    init(_ scenario: SwarmScenario) throws {
        self.scenario = scenario
        life = try Life(
            seed: scenario.seed,
            straps: max(scenario.straps, 1),
            limit: scenario.slots,
            rooms: scenario.rooms,
            isProtected: scenario.isProtected
        )
        let air = life.world.air
        gateway =
            scenario.clients > 0
            ? try Gateway(seed: scenario.seed, clients: scenario.clients, on: air) : nil
        if let gateway {
            for controller in gateway.clients { air.world.assign(controller, toGroup: 1) }
        }
    }

    var radio: World { life.world.air.world }

    /// Runs the scenario. Throws if an invariant is violated.
    func run(observing coverage: SwarmCoverage?) async throws {
        coverage?.observe(radio)
        try await life.live(for: Self.limit) { [self] in
            try await gateway?.begin()
            try await life.pairAll()
            for accessory in life.accessories { accessory.connect() }
            for step in scenario.steps {
                try await perform(step)
                try await life.world.advance(by: .milliseconds(step.pause))
                try await check()
            }
            try await recover()
            await gateway?.end()
        }
        if let recording = life.recorder?.recording { coverage?.add(recording) }
        radio.finishWatching()
        try await life.check()
        // A controller without a host keeps no link. An accessory detects the end of a link by its
        // supervision timeout.
        try await life.world.run { [self] in try await life.world.advance(by: .seconds(30)) }
        let links = radio.status.links
        guard links.isEmpty else { throw life.offend("links remain at the end: \(links)") }
    }

    /// Ends all faults, after which every device must work again.
    private func recover() async throws {
        endFaults()
        for accessory in life.accessories { accessory.connect() }
        // A link that has just failed is reported after the supervision timeout.
        try await life.world.advance(by: .seconds(6))
        if let slots = scenario.slots, slots < life.straps.count {
            try await expectEachReady()
        } else {
            try await life.expectAllReady(within: Self.recoveryLimit)
        }
        try await gateway?.expectVisits(within: Self.recoveryLimit)
        try await check()
    }

    /// Waits until as many accessories are ready as there are connection slots.
    private func expectEachReady() async throws {
        let end = life.world.now + Self.recoveryLimit
        while life.accessories.count(where: { $0.state == .ready }) < scenario.slots ?? 0 {
            guard life.world.now < end else {
                let states = life.accessories.map { "\($0.id): \($0.latestChange)" }
                throw life.offend("a slot stays empty: \(states.joined(separator: "\n"))")
            }
            try await life.world.advance(by: .milliseconds(100))
        }
    }

    // MARK: Invariants

    private func check() async throws {
        try await life.check()
        try gateway?.check()
        guard let report = await life.corridor?.report() else { return }
        let peers = report.peers.map(\.peer)
        guard Set(peers).count == peers.count else {
            throw life.offend("a peer has links on two radios: \(peers)")
        }
        let count = report.radios.map(\.linkCount).reduce(0, +)
        // A move makes the new link before the old one ends.
        guard count <= 2 * life.straps.count else {
            throw life.offend("the radios have too many links: \(count)")
        }
    }
}
