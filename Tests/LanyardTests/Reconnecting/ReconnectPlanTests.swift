// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import Lanyard

/// The steps after failures.
struct ReconnectPlanTests {
    private static let passing = LinkFailure(.attemptFailed, code: .link(10), "it did not work")
    private static let hard = LinkFailure(.timeout, "too long")
    private static let full = LinkFailure(.capacity, "no room")

    private func trouble(
        _ failure: LinkFailure,
        linkWasUp: Bool = false,
        wasPending: Bool = false,
        isOutOfRange: Bool = false,
        isRemembered: Bool = true
    ) -> ReconnectPlan.Trouble {
        ReconnectPlan.Trouble(
            failure: failure,
            linkWasUp: linkWasUp,
            wasPending: wasPending,
            isOutOfRange: isOutOfRange,
            isRemembered: isRemembered
        )
    }

    @Test func `what stays ends it`() {
        var plan = ReconnectPlan()
        for kind in [LinkFailure.Kind.unpaired, .incomplete, .unsupported, .tooManyBonds] {
            let failure = LinkFailure(kind, "it stays so")
            #expect(plan.step(after: trouble(failure), at: .zero, chance: 0) == .stop)
        }
    }

    @Test(arguments: [(0.0, 100), (0.5, 550), (1.0, 1000)])
    func `what passes is tried again within a second`(chance: Double, milliseconds: Int) {
        var plan = ReconnectPlan()
        #expect(
            plan.step(after: trouble(Self.passing), at: .zero, chance: chance)
                == .connect(after: .milliseconds(milliseconds))
        )
    }

    @Test func `what lacks room is tried again after four seconds`() {
        var plan = ReconnectPlan()
        #expect(
            plan.step(after: trouble(Self.full), at: .zero, chance: 1)
                == .connect(after: .seconds(4))
        )
    }

    @Test func `what means out of range is waited for at once`() {
        var plan = ReconnectPlan()
        let lost = trouble(.lost, linkWasUp: true, isOutOfRange: true)
        #expect(plan.step(after: lost, at: .zero, chance: 1) == .standBy(after: .zero))
    }

    @Test func `one that was never usable is not waited for`() {
        var plan = ReconnectPlan()
        let lost = trouble(.lost, isOutOfRange: true, isRemembered: false)
        #expect(plan.step(after: lost, at: .zero, chance: 0) == .connect(after: .milliseconds(100)))
    }

    @Test(arguments: [(hard, 4), (passing, 9)])
    func `a burst is bounded in number`(failure: LinkFailure, limit: Int) {
        var plan = ReconnectPlan()
        for number in 1..<limit {
            let step = plan.step(
                after: trouble(failure),
                at: .seconds(number),
                chance: 0
            )
            #expect(step == .connect(after: .milliseconds(100)))
        }
        #expect(
            plan.step(after: trouble(failure), at: .seconds(limit), chance: 0)
                == .standBy(after: .zero)
        )
    }

    @Test func `a burst is bounded in time`() {
        var plan = ReconnectPlan()
        for second in stride(from: 0, to: 60, by: 4) {
            #expect(
                plan.step(after: trouble(Self.full), at: .seconds(second), chance: 0)
                    == .connect(after: .seconds(4))
            )
        }
        #expect(
            plan.step(after: trouble(Self.full), at: .seconds(60), chance: 0)
                == .standBy(after: .zero)
        )
    }

    @Test func `after a burst the next one begins anew`() {
        var plan = ReconnectPlan()
        for _ in 1...4 { _ = plan.step(after: trouble(Self.hard), at: .zero, chance: 0) }
        #expect(
            plan.step(after: trouble(Self.hard), at: .seconds(1), chance: 0)
                == .connect(after: .milliseconds(100))
        )
    }

    @Test func `a burst of links that were of no use is followed by a rest`() {
        var plan = ReconnectPlan()
        let useless = trouble(Self.hard, linkWasUp: true)
        for _ in 1...3 { _ = plan.step(after: useless, at: .zero, chance: 0) }
        #expect(plan.step(after: useless, at: .zero, chance: 0) == .standBy(after: .seconds(60)))
    }

    @Test func `a pending connect that fails stands again, and rests in the end`() {
        var plan = ReconnectPlan()
        let failed = trouble(Self.passing, wasPending: true, isOutOfRange: true)
        for _ in 1...8 {
            #expect(
                plan.step(after: failed, at: .zero, chance: 0)
                    == .standBy(after: .milliseconds(100))
            )
        }
        #expect(plan.step(after: failed, at: .zero, chance: 0) == .standBy(after: .seconds(60)))
    }

    @Test func `one that was never usable is given up after a burst`() {
        var plan = ReconnectPlan()
        let new = trouble(Self.hard, isRemembered: false)
        for _ in 1...3 { _ = plan.step(after: new, at: .zero, chance: 0) }
        #expect(plan.step(after: new, at: .zero, chance: 0) == .stop)
    }

    @Test func `a link that was steady makes up for what failed before`() {
        var plan = ReconnectPlan()
        for _ in 1...3 { _ = plan.step(after: trouble(Self.hard), at: .zero, chance: 0) }
        plan.succeeded(at: .seconds(1))
        #expect(
            plan.step(after: trouble(Self.hard), at: .seconds(11), chance: 0)
                == .connect(after: .milliseconds(100))
        )
    }

    @Test func `one that was not does not`() {
        var plan = ReconnectPlan()
        for _ in 1...3 { _ = plan.step(after: trouble(Self.hard), at: .zero, chance: 0) }
        plan.succeeded(at: .seconds(1))
        #expect(
            plan.step(after: trouble(Self.hard), at: .seconds(2), chance: 0)
                == .standBy(after: .zero)
        )
    }

    @Test func `failures that are far apart belong to different bursts`() {
        var plan = ReconnectPlan()
        for number in 1...20 {
            #expect(
                plan.step(after: trouble(Self.hard), at: .seconds(61 * number), chance: 0)
                    == .connect(after: .milliseconds(100))
            )
        }
    }

    @Test func `a command begins anew`() {
        var plan = ReconnectPlan()
        for _ in 1...3 { _ = plan.step(after: trouble(Self.hard), at: .zero, chance: 0) }
        plan.startOver()
        #expect(
            plan.step(after: trouble(Self.hard), at: .zero, chance: 0)
                == .connect(after: .milliseconds(100))
        )
    }

    /// After any failures, the attempts within a minute are few, and none follows at once.
    @Test func `nobody is called without end`() {
        let failures = [Self.passing, Self.hard, Self.full, .lost, .strange]
        for seed in RunSeed.seeds(500) {
            var generator = SplitMix64(seed: seed)
            var plan = ReconnectPlan()
            var now = Duration.zero
            var calls: [Duration] = []
            for _ in 1...200 {
                let failure = failures.randomElement(using: &generator) ?? Self.hard
                let chance = Double.random(in: 0...1, using: &generator)
                let step = plan.step(after: trouble(failure), at: now, chance: chance)
                guard case .connect(let delay) = step else {
                    // The pending connection request completes when the accessory returns.
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
