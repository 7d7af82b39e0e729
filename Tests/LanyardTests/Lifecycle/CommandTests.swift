// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Commands of the app, and their effects on earlier commands.
struct CommandTests {
    @Test("A command to forget erases the accessory at once and ends its link")
    func forget() {
        var harness = MachineHarness.ready()
        let actions = harness.send(.command(.forget))
        #expect(actions.contains(.cancelConnection("strap")))
        #expect(actions.contains(.erase))
        #expect(!harness.machine.isRemembered)
        harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(harness.machine.state == .idle(.forgotten))
        #expect(harness.send(.command(.connect)) == [])
    }

    @Test("A command to forget ends a connection attempt")
    func forgetAttempt() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        harness.send(.command(.forget))
        #expect(harness.linkReports(.connected(known: [])) == [])
        harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(harness.machine.state == .idle(.forgotten))
    }

    @Test("A command to forget cancels a pending connection request")
    func forgetPending() {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.lost, isReconnecting: false))
        let actions = harness.send(.command(.forget))
        #expect(actions.contains(.cancelConnection("strap")))
        #expect(!actions.contains(.releaseSlot(limitReached: false)))
        harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(harness.machine.state == .idle(.forgotten))
    }

    @Test("A command to pair does not keep an accessory that is being forgotten")
    func pairForgotten() {
        var harness = MachineHarness.ready()
        harness.send(.command(.forget))
        #expect(harness.send(.command(.pair)) == [])
        let actions = harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(actions.contains(.releaseSlot(limitReached: false)))
        #expect(harness.machine.state == .idle(.forgotten))
    }

    @Test("A command to pair while the link of an unknown accessory is being ended pairs it")
    func pairNext() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        harness.linkReports(.connected(known: []))
        harness.send(.command(.disconnect), .command(.pair))
        let actions = harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(actions.contains(.retrieve(.heldBySystem)))
        #expect(actions.contains(.releaseSlot(limitReached: false)))
    }

    @Test("A command to connect while the link is being ended connects the accessory again")
    func reconnect() {
        var harness = MachineHarness.ready()
        harness.send(.command(.disconnect), .command(.connect))
        let actions = harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(actions.contains(.releaseSlot(limitReached: false)))
        #expect(actions.contains(.reserveSlot(.request)))
        #expect(harness.send(.slot(.granted)).contains(.connect("strap", .direct)))
    }

    @Test("A command to connect ends the pause before the next attempt")
    func connectAtOnce() {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.strange, isReconnecting: false))
        #expect(harness.send(.command(.connect)).contains(.reserveSlot(.request)))
    }

    @Test("After a command to forget, a command to disconnect or to forget has no effect")
    func forgetPrecedes() {
        var harness = MachineHarness.ready()
        harness.send(.command(.forget))
        #expect(harness.send(.command(.disconnect)) == [])
        #expect(harness.send(.command(.forget)) == [])
    }

    @Test("A second command to forget an idle accessory has no effect")
    func forgetIdle() {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.bondLost, isReconnecting: false))
        #expect(
            harness.send(.command(.forget)) == [.erase, .report(.idle, .resting(.forgotten))]
        )
        #expect(harness.send(.command(.forget)) == [])
    }

    @Test("A command to forget erases the accessory at once while Bluetooth is off")
    func forgetPoweredOff() {
        var harness = MachineHarness.ready()
        harness.send(.unavailable(.poweredOff))
        #expect(harness.send(.command(.forget)) == [.erase, .report(.poweredOff, .requested)])
        harness.send(.available)
        #expect(harness.machine.state == .idle(.forgotten))
    }

    @Test("Late callbacks of another peripheral have no effect")
    func lateCallbacks() {
        var harness = MachineHarness.ready()
        let state = harness.machine.state
        #expect(harness.send(.link("other", .disconnected(.lost, isReconnecting: false))) == [])
        #expect(harness.send(.link("other", .connected(known: []))) == [])
        #expect(harness.machine.state == state)
    }

    @Test("The end of a countdown of an earlier state has no effect")
    func oldCountdown() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved(nil))
        let scanning = Countdown(number: 1, deadline: .seconds(10))
        harness.send(.found("strap", rssi: nil), .slot(.granted))
        let state = harness.machine.state
        #expect(harness.send(.countdownEnded(scanning)) == [])
        #expect(harness.machine.state == state)
    }
}
