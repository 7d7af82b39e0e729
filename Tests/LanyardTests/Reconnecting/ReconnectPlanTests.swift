// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import Lanyard

/// The steps of the plan after failures.
struct ReconnectPlanTests {
    private static let passing = LinkFailure(.attemptFailed, code: .link(10), "it did not work")
    private static let hard = LinkFailure(.timeout, "too long")
    private static let full = LinkFailure(.capacity, "no room")

    private func failedAttempt(
        _ failure: LinkFailure,
        linkWasUp: Bool = false,
        wasPending: Bool = false,
        isOutOfRange: Bool = false,
        isRemembered: Bool = true
    ) -> ReconnectPlan.FailedAttempt {
        ReconnectPlan.FailedAttempt(
            failure: failure,
            linkWasUp: linkWasUp,
            wasPending: wasPending,
            isOutOfRange: isOutOfRange,
            isRemembered: isRemembered
        )
    }

    @Test("A terminal failure ends the plan")
    func permanentFailure() {
        var plan = ReconnectPlan()
        for kind in [LinkFailure.Kind.unpaired, .incomplete, .unsupported, .tooManyBonds] {
            let attempt = failedAttempt(LinkFailure(kind, "it stays so"), isRemembered: false)
            #expect(plan.step(after: attempt, at: .zero, chance: 0) == .stop)
        }
        for kind in [LinkFailure.Kind.unpaired, .unsupported, .tooManyBonds] {
            let attempt = failedAttempt(LinkFailure(kind, "it stays so"))
            #expect(plan.step(after: attempt, at: .zero, chance: 0) == .stop)
        }
    }

    @Test("A remembered accessory that lacks a service is tried again, with a pause after a burst")
    func missingService() {
        var plan = ReconnectPlan()
        let attempt = failedAttempt(LinkFailure(.incomplete, "it lacks 180D"), linkWasUp: true)
        for _ in 1..<ReconnectLimits().hardFailures {
            let step = plan.step(after: attempt, at: .zero, chance: 0)
            #expect(step == .connect(after: .milliseconds(100)))
        }
        let last = plan.step(after: attempt, at: .zero, chance: 0)
        #expect(last == .connectPending(after: .seconds(60)))
    }

    @Test(
        "A transient failure leads to an attempt within a second",
        arguments: [(0.0, 100), (0.5, 550), (1.0, 1000)]
    )
    func transientFailure(chance: Double, milliseconds: Int) {
        var plan = ReconnectPlan()
        #expect(
            plan.step(after: failedAttempt(Self.passing), at: .zero, chance: chance)
                == .connect(after: .milliseconds(milliseconds))
        )
    }

    @Test("A lack of capacity leads to an attempt after four seconds")
    func capacityFailure() {
        var plan = ReconnectPlan()
        #expect(
            plan.step(after: failedAttempt(Self.full), at: .zero, chance: 1)
                == .connect(after: .seconds(4))
        )
    }

    @Test("A pending request without room for a link is repeated after pauses that grow to a limit")
    func capacityOfPendingRequest() {
        var plan = ReconnectPlan()
        var now = Duration.zero
        let failed = failedAttempt(Self.full, wasPending: true)
        for seconds in [4, 8, 16, 32, 60, 60] {
            let step = plan.step(after: failed, at: now, chance: 0)
            #expect(step == .connectPending(after: .seconds(seconds)))
            now += .seconds(seconds)
        }
        plan.succeeded(at: now)
        #expect(plan.step(after: failed, at: now, chance: 0) == .connectPending(after: .seconds(4)))
        // The system accepted the request after the last wait, and refuses a much later one.
        now += .seconds(65)
        #expect(plan.step(after: failed, at: now, chance: 0) == .connectPending(after: .seconds(4)))
    }

    @Test("A loss of range leads to a pending connection request at once")
    func rangeLoss() {
        var plan = ReconnectPlan()
        let lost = failedAttempt(.lost, linkWasUp: true, isOutOfRange: true)
        #expect(plan.step(after: lost, at: .zero, chance: 1) == .connectPending(after: .zero))
    }

    @Test("An accessory that was never ready gets no pending connection request")
    func neverReady() {
        var plan = ReconnectPlan()
        let lost = failedAttempt(.lost, isOutOfRange: true, isRemembered: false)
        #expect(plan.step(after: lost, at: .zero, chance: 0) == .connect(after: .milliseconds(100)))
    }

    @Test("A burst has a limited number of attempts", arguments: [(hard, 4), (passing, 9)])
    func burstCount(failure: LinkFailure, limit: Int) {
        var plan = ReconnectPlan()
        for number in 1..<limit {
            let step = plan.step(
                after: failedAttempt(failure),
                at: .seconds(number),
                chance: 0
            )
            #expect(step == .connect(after: .milliseconds(100)))
        }
        #expect(
            plan.step(after: failedAttempt(failure), at: .seconds(limit), chance: 0)
                == .connectPending(after: .zero)
        )
    }

    @Test("A burst has a limited duration")
    func burstDuration() {
        var plan = ReconnectPlan()
        for second in stride(from: 0, to: 60, by: 4) {
            #expect(
                plan.step(after: failedAttempt(Self.full), at: .seconds(second), chance: 0)
                    == .connect(after: .seconds(4))
            )
        }
        #expect(
            plan.step(after: failedAttempt(Self.full), at: .seconds(60), chance: 0)
                == .connectPending(after: .zero)
        )
    }

    @Test("A failure after a burst begins a new burst")
    func nextBurst() {
        var plan = ReconnectPlan()
        for _ in 1...4 { _ = plan.step(after: failedAttempt(Self.hard), at: .zero, chance: 0) }
        #expect(
            plan.step(after: failedAttempt(Self.hard), at: .seconds(1), chance: 0)
                == .connect(after: .milliseconds(100))
        )
    }

    @Test("A pause follows a burst of unusable links")
    func unusableLinks() {
        var plan = ReconnectPlan()
        let useless = failedAttempt(Self.hard, linkWasUp: true)
        for _ in 1...3 { _ = plan.step(after: useless, at: .zero, chance: 0) }
        #expect(
            plan.step(after: useless, at: .zero, chance: 0) == .connectPending(after: .seconds(60))
        )
    }

    @Test("A pending connection request that fails repeatedly is made again after a pause")
    func failedPending() {
        var plan = ReconnectPlan()
        let failed = failedAttempt(Self.passing, wasPending: true, isOutOfRange: true)
        for _ in 1...8 {
            #expect(
                plan.step(after: failed, at: .zero, chance: 0)
                    == .connectPending(after: .milliseconds(100))
            )
        }
        #expect(
            plan.step(after: failed, at: .zero, chance: 0) == .connectPending(after: .seconds(60))
        )
    }

    @Test("A burst ends the plan of an accessory that was never ready")
    func neverReadyBurst() {
        var plan = ReconnectPlan()
        let new = failedAttempt(Self.hard, linkWasUp: true, isRemembered: false)
        for _ in 1...3 {
            #expect(plan.step(after: new, at: .zero, chance: 0) != .stop)
        }
        #expect(plan.step(after: new, at: .zero, chance: 0) == .stop)
    }

    @Test("A connection attempt that took too long is the last one of a first pairing")
    func neverReadyTimeout() {
        var plan = ReconnectPlan()
        let new = failedAttempt(Self.hard, linkWasUp: false, isRemembered: false)
        #expect(plan.step(after: new, at: .zero, chance: 0) == .stop)
    }

    @Test("A steady link clears the failures before it")
    func steadyLink() {
        var plan = ReconnectPlan()
        for _ in 1...3 { _ = plan.step(after: failedAttempt(Self.hard), at: .zero, chance: 0) }
        plan.succeeded(at: .seconds(1))
        #expect(
            plan.step(after: failedAttempt(Self.hard), at: .seconds(11), chance: 0)
                == .connect(after: .milliseconds(100))
        )
    }

    @Test("A brief link does not clear the failures before it")
    func briefLink() {
        var plan = ReconnectPlan()
        for _ in 1...3 { _ = plan.step(after: failedAttempt(Self.hard), at: .zero, chance: 0) }
        plan.succeeded(at: .seconds(1))
        #expect(
            plan.step(after: failedAttempt(Self.hard), at: .seconds(2), chance: 0)
                == .connectPending(after: .zero)
        )
    }

    @Test("Failures that are far apart belong to different bursts")
    func separateBursts() {
        var plan = ReconnectPlan()
        for number in 1...20 {
            #expect(
                plan.step(after: failedAttempt(Self.hard), at: .seconds(61 * number), chance: 0)
                    == .connect(after: .milliseconds(100))
            )
        }
    }

    @Test("A command clears the failures before it")
    func startOver() {
        var plan = ReconnectPlan()
        for _ in 1...3 { _ = plan.step(after: failedAttempt(Self.hard), at: .zero, chance: 0) }
        plan.startOver()
        #expect(
            plan.step(after: failedAttempt(Self.hard), at: .zero, chance: 0)
                == .connect(after: .milliseconds(100))
        )
    }

    @Test("Random failures lead to few attempts a minute, each after a delay")
    func attemptLimit() {
        let failures = [Self.passing, Self.hard, Self.full, .lost, .strange]
        for seed in RunSeed.seeds(500) {
            var generator = SplitMix64(seed: seed)
            var plan = ReconnectPlan()
            var now = Duration.zero
            var calls: [Duration] = []
            for _ in 1...200 {
                let failure = failures.randomElement(using: &generator) ?? Self.hard
                let chance = Double.random(in: 0...1, using: &generator)
                let step = plan.step(after: failedAttempt(failure), at: now, chance: chance)
                guard case .connect(let delay) = step else {
                    // The step is a pending connection request, which completes after 61 s.
                    now += .seconds(61)
                    continue
                }
                #expect(delay >= .milliseconds(100), "seed \(seed)")
                now += delay
                calls.append(now)
                let recent = calls.filter { now - $0 < .seconds(60) }
                #expect(recent.count <= 4 + 9 + 15, "seed \(seed)")
            }
        }
    }
}
