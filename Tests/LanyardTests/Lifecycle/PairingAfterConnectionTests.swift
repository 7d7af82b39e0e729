// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Pairing after the connection.
struct PairingAfterConnectionTests {
    /// Returns a machine that reads the protected characteristic.
    private func probing() -> MachineHarness {
        var harness = MachineHarness(.lockedStrap)
        harness.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        harness.linkReports(.connected(known: []))
        harness.getReady()
        return harness
    }

    @Test("An accessory that requires pairing is ready after its protected value was read")
    func protectedValue() {
        var harness = probing()
        #expect(harness.machine.accessoryState == .connected)
        #expect(!harness.machine.isRemembered)
        let actions = harness.linkReports(.probed(nil))
        #expect(actions.contains(.save("strap")))
        #expect(actions.contains(.report(.ready, .usable)))
    }

    @Test("A refused protected value leaves the accessory connected, and a command reads it again")
    func refusal() {
        var harness = probing()
        let refusal = harness.linkReports(.probed(.unauthenticated))
        #expect(refusal.reports == [.report(.connected, .notPaired(.unauthenticated))])
        #expect(refusal.compactMap(\.record).first?.next == .pairing)
        #expect(harness.machine.state.countdown == nil)
        #expect(harness.send(.command(.pair)).contains(.probe("strap", .place)))
        harness.linkReports(.probed(nil))
        #expect(harness.machine.accessoryState == .ready)
    }

    @Test("Pairing that completes after its timeout makes the accessory ready")
    func latePairing() {
        var harness = probing()
        harness.wait()
        let tooLong = LinkFailure(.timeout, "pairing took longer than 60.00 s")
        #expect(harness.machine.reason == .notPaired(tooLong))
        harness.linkReports(.probed(nil))
        #expect(harness.machine.accessoryState == .ready)
    }

    @Test("A command to pair repeats a subscription that requires pairing")
    func repeatedSubscription() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        harness.linkReports(.connected(known: .all))
        harness.linkReports(.subscriptionChanged(.measurement, .failed(.unauthenticated)))
        #expect(harness.machine.accessoryState == .connected)
        harness.linkReports(.subscriptionChanged(.battery, .confirmed))
        #expect(harness.send(.command(.pair)).contains(.subscribe("strap", .measurement)))
        harness.linkReports(.subscriptionChanged(.measurement, .confirmed))
        #expect(harness.machine.accessoryState == .ready)
    }

    @Test("A subscription that may start pairing has the timeout of pairing")
    func subscriptionTimeout() {
        var harness = MachineHarness(.lockedStrap)
        harness.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        harness.linkReports(.connected(known: .all))
        let timeouts = LifecycleSettings.lockedStrap.timeouts
        #expect(harness.machine.accessoryState == .subscribing)
        #expect(harness.machine.state.countdown?.deadline == harness.now + timeouts.pairing)
        var open = MachineHarness()
        open.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        open.linkReports(.connected(known: .all))
        #expect(open.machine.state.countdown?.deadline == open.now + timeouts.subscribing)
    }

    @Test("Subscriptions that require pairing are repeated after it")
    func laterSubscriptions() {
        var harness = MachineHarness(.lockedStrap)
        harness.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        harness.linkReports(.connected(known: .all))
        harness.linkReports(.subscriptionChanged(.measurement, .failed(.unauthenticated)))
        harness.send(.command(.pair))
        let actions = harness.linkReports(.probed(nil))
        #expect(actions.contains(.subscribe("strap", .measurement)))
        #expect(actions.contains(.subscribe("strap", .battery)))
    }

    @Test("An accessory that lost its bond is connected again only after a command to pair")
    func peerLostBond() {
        var harness = MachineHarness.ready(.lockedStrap)
        harness.linkReports(.disconnected(.bondLost, isReconnecting: false))
        #expect(harness.machine.state == .idle(.failed(.bondLost)))
        #expect(harness.machine.isRemembered)
        let advice = harness.machine.diagnosis(at: harness.now).advice
        #expect(advice == LinkFailure.bondLost.recoverySuggestion)
        #expect(harness.send(.command(.pair)).contains(.retrieve(.remembered)))
        #expect(harness.send(.retrieved("strap")).contains(.reserveSlot(.request)))
    }

    @Test("An accessory whose bond this device lost is not paired")
    func ownLostBond() {
        var harness = MachineHarness.ready(.lockedStrap)
        harness.linkReports(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        harness.send(.slot(.granted))
        harness.getReady()
        harness.linkReports(.probed(.unauthenticated))
        #expect(harness.machine.reason == .notPaired(.unauthenticated))
        #expect(harness.machine.isRemembered)
    }

    @Test("An accessory without the protected characteristic is rejected")
    func missingProtected() {
        var settings = LifecycleSettings.strap
        settings.protected = "2A00"
        var harness = MachineHarness(settings)
        harness.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        harness.linkReports(.connected(known: []))
        harness.getReady()
        let text = "it lacks Device Name (2A00), or the app did not describe it"
        #expect(harness.machine.reason == .abandoned(LinkFailure(.incomplete, text)))
    }
}
