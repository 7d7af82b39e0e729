// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Pairing after the connection.
struct ProofStories {
    /// Returns a machine that reads the protected characteristic.
    private func probing() -> MachineBench {
        var bench = MachineBench(.lockedStrap)
        bench.tell(.available, .wished(.pair), .retrieved("strap"), .slot(.granted))
        bench.hear(.connected(known: []))
        bench.getReady()
        return bench
    }

    @Test func `an accessory that has to be paired is asked for what is protected`() {
        var bench = probing()
        #expect(bench.machine.accessoryState == .connected)
        #expect(!bench.machine.isRemembered)
        let actions = bench.hear(.probed(nil))
        #expect(actions.contains(.save("strap")))
        #expect(actions.contains(.report(.ready, .usable)))
    }

    @Test func `one that refuses stays connected, and can be paired again by a wish`() {
        var bench = probing()
        let refusal = bench.hear(.probed(.unauthenticated))
        #expect(refusal.reports == [.report(.connected, .notPaired(.unauthenticated))])
        #expect(refusal.compactMap(\.record).first?.next == .pairing)
        #expect(bench.machine.state.countdown == nil)
        #expect(bench.tell(.wished(.pair)).contains(.probe("strap", .place)))
        bench.hear(.probed(nil))
        #expect(bench.machine.accessoryState == .ready)
    }

    @Test func `a person who takes too long is not paired, and may still be`() {
        var bench = probing()
        bench.wait()
        let tooLong = LinkFailure(.timeout, "pairing took longer than 60.00 s")
        #expect(bench.machine.reason == .notPaired(tooLong))
        bench.hear(.probed(nil))
        #expect(bench.machine.accessoryState == .ready)
    }

    @Test func `a subscription that needs pairing is asked for again by a wish`() {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved("strap"), .slot(.granted))
        bench.hear(.connected(known: .all))
        bench.hear(.subscriptionChanged(.measurement, .failed(.unauthenticated)))
        #expect(bench.machine.accessoryState == .connected)
        bench.hear(.subscriptionChanged(.battery, .confirmed))
        #expect(bench.tell(.wished(.pair)).contains(.subscribe("strap", .measurement)))
        bench.hear(.subscriptionChanged(.measurement, .confirmed))
        #expect(bench.machine.accessoryState == .ready)
    }

    @Test func `a subscription that may ask a person to pair has as long as pairing`() {
        var bench = MachineBench(.lockedStrap)
        bench.tell(.available, .wished(.pair), .retrieved("strap"), .slot(.granted))
        bench.hear(.connected(known: .all))
        let timeouts = LifecycleSettings.lockedStrap.timeouts
        #expect(bench.machine.accessoryState == .subscribing)
        #expect(bench.machine.state.countdown?.deadline == bench.now + timeouts.pairing)
        var open = MachineBench()
        open.tell(.available, .wished(.pair), .retrieved("strap"), .slot(.granted))
        open.hear(.connected(known: .all))
        #expect(open.machine.state.countdown?.deadline == open.now + timeouts.subscribing)
    }

    @Test func `subscriptions that pairing made possible are asked for after it`() {
        var bench = MachineBench(.lockedStrap)
        bench.tell(.available, .wished(.pair), .retrieved("strap"), .slot(.granted))
        bench.hear(.connected(known: .all))
        bench.hear(.subscriptionChanged(.measurement, .failed(.unauthenticated)))
        bench.tell(.wished(.pair))
        let actions = bench.hear(.probed(nil))
        #expect(actions.contains(.subscribe("strap", .measurement)))
        #expect(actions.contains(.subscribe("strap", .battery)))
    }

    @Test func `an accessory that has lost its keys is not connected to again and again`() {
        var bench = MachineBench.ready(.lockedStrap)
        bench.hear(.disconnected(.bondLost, isReconnecting: false))
        #expect(bench.machine.state == .idle(.failed(.bondLost)))
        #expect(bench.machine.isRemembered)
        let advice = bench.machine.whereabouts(at: bench.now).advice
        #expect(advice == "Remove it in the system's Bluetooth settings, and pair it again.")
        #expect(bench.tell(.wished(.pair)).contains(.retrieve(.remembered)))
        #expect(bench.tell(.retrieved("strap")).contains(.reserveSlot(.dial)))
    }

    @Test func `keys that were lost here show as not paired`() {
        var bench = MachineBench.ready(.lockedStrap)
        bench.hear(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        bench.tell(.slot(.granted))
        bench.getReady()
        bench.hear(.probed(.unauthenticated))
        #expect(bench.machine.reason == .notPaired(.unauthenticated))
        #expect(bench.machine.isRemembered)
    }

    @Test func `what is to be probed has to be there`() {
        var settings = LifecycleSettings.strap
        settings.protected = "2A00"
        var bench = MachineBench(settings)
        bench.tell(.available, .wished(.pair), .retrieved("strap"), .slot(.granted))
        bench.hear(.connected(known: []))
        bench.getReady()
        #expect(bench.machine.reason == .abandoned(LinkFailure(.incomplete, "it lacks 2A00")))
    }
}
