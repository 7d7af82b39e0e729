// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTestSupport
import LanyardTesting
import Synchronization
import Testing

@testable import Lanyard

/// The times of an accessory's states.
final class ChangeTimes: Sendable {
    private let times = Mutex<[(state: AccessoryState, time: Duration)]>([])
    private let observation = Mutex<ObservationToken?>(nil)

    /// Follows an accessory from now on. Each process of the app has a new object for it.
    func follow(_ accessory: Accessory, in world: TestWorld) {
        let token = accessory.onChange { [weak self, weak world] change in
            guard let self, let world else { return }
            times.withLock { $0.append((change.state, world.now)) }
        }
        observation.withLock { $0 = token }
    }

    /// Returns the time at which the accessory was first in a state since `start`.
    func first(_ state: AccessoryState, since start: Duration) -> Duration? {
        times.withLock { times in
            times.first { $0.state == state && $0.time >= start }?.time
        }
    }
}

@Suite("Accessories that return")
struct ReturnTests {
    /// The supervision timeout of the host's links (`ConnectParameters`).
    private static let supervisionTimeout = Duration.seconds(5)
    /// The longest time between two advertising events of an accessory with an advertising interval
    /// of 100 ms. The random delay is at most 10 ms (Vol 6, Part B, 4.4.2.2.1).
    private static let interval = Duration.milliseconds(110)

    /// The time that the accessory took to become ready again, and the discovery's share of that
    /// time.
    private struct ReturnTime {
        var duration: Duration
        var discovery: Duration
    }

    /// Restarts an accessory during a link. The accessory advertises at once. The phone detects the
    /// failure of the link after the supervision timeout.
    private func comeBack(seed: UInt64, losing share: Double) async throws -> ReturnTime {
        let app = try AppHarness(seed: seed, straps: 1)
        return try await app.run(for: .seconds(600)) {
            let discovery = try await app.firstDiscovery()
            app.world.phone.disturb(losing: share)
            app.straps.first?.disturb(losing: share)
            try await app.world.advance(by: .milliseconds(1500 + Int(seed % 300) * 7))
            let times = ChangeTimes()
            for accessory in app.accessories { times.follow(accessory, in: app.world) }
            try await app.world.advance(by: .milliseconds(1))
            let start = app.world.now
            app.straps.first?.reboot(after: .milliseconds(1))
            while app.world.now < start + .seconds(120) {
                try await app.world.advance(by: .seconds(5))
                let lost =
                    times.first(.outOfRange, since: start) ?? times.first(.connecting, since: start)
                guard let lost, let ready = times.first(.ready, since: lost) else { continue }
                return ReturnTime(duration: ready - start, discovery: discovery)
            }
            throw app.failure("the accessory did not come back")
        }
    }

    @Test("Without loss, an accessory is ready as soon as it is found and discovered")
    func withoutLoss() async throws {
        for seed in RunSeed.seeds(20) {
            let result = try await comeBack(seed: seed, losing: 0)
            let bound =
                Self.supervisionTimeout + Self.interval + .milliseconds(100) + result.discovery
            #expect(result.duration <= bound, "seed \(seed), discovery: \(result.discovery)")
        }
    }

    @Test("With 30 % loss, an accessory is ready within a minute in each of 30 runs")
    func withLoss() async throws {
        var late: [UInt64] = []
        // The seeds are fixed, because a run with another seed can take longer.
        let seeds = 1...30 as ClosedRange<UInt64>
        for seed in seeds {
            let result = try? await comeBack(seed: seed, losing: 0.3)
            if (result?.duration ?? .seconds(3600)) > .seconds(60) { late.append(seed) }
        }
        #expect(late.isEmpty, "seeds \(late)")
    }
}

extension AppHarness {
    /// Pairs all accessories. Returns how long the discovery of the first one took: its services,
    /// its characteristics, and its subscriptions.
    func firstDiscovery() async throws -> Duration {
        try await pairAll()
        try await world.advance(by: .milliseconds(1))
        guard let attempt = accessories.first?.attempts.last, attempt.next == .ready else {
            throw failure("no accessory was paired")
        }
        let phases: Set<AttemptRecord.Phase> = [
            .discoveringServices, .discoveringCharacteristics, .subscribing,
        ]
        return attempt.steps.filter { phases.contains($0.phase) }.reduce(.zero) { $0 + $1.duration }
    }
}
