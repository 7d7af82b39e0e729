// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Calls of the app that change earlier ones.
struct CommandStories {
    @Test func `what is forgotten is erased at once, and its link ended`() {
        var harness = MachineHarness.ready()
        let actions = harness.tell(.command(.forget))
        #expect(actions.contains(.cancelConnection("strap")))
        #expect(actions.contains(.erase))
        #expect(!harness.machine.isRemembered)
        harness.hear(.disconnected(nil, isReconnecting: false))
        #expect(harness.machine.state == .idle(.forgotten))
        #expect(harness.tell(.command(.connect)) == [])
    }

    @Test func `an attempt that is under way can be forgotten`() {
        var harness = MachineHarness()
        harness.tell(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        harness.tell(.command(.forget))
        #expect(harness.hear(.connected(known: [])) == [])
        harness.hear(.disconnected(nil, isReconnecting: false))
        #expect(harness.machine.state == .idle(.forgotten))
    }

    @Test func `so can one that stands`() {
        var harness = MachineHarness.ready()
        harness.hear(.disconnected(.lost, isReconnecting: false))
        let actions = harness.tell(.command(.forget))
        #expect(actions.contains(.cancelConnection("strap")))
        #expect(!actions.contains(.releaseSlot(limitReached: false)))
        harness.hear(.disconnected(nil, isReconnecting: false))
        #expect(harness.machine.state == .idle(.forgotten))
    }

    @Test func `a new one is paired after the old one is gone`() {
        var harness = MachineHarness.ready()
        harness.tell(.command(.forget), .command(.pair))
        let actions = harness.hear(.disconnected(nil, isReconnecting: false))
        #expect(actions.contains(.retrieve(.heldBySystem)))
        #expect(actions.contains(.releaseSlot(limitReached: false)))
    }

    @Test func `one that was disconnected is connected again by a command`() {
        var harness = MachineHarness.ready()
        harness.tell(.command(.disconnect), .command(.connect))
        let actions = harness.hear(.disconnected(nil, isReconnecting: false))
        #expect(actions.contains(.releaseSlot(limitReached: false)))
        #expect(actions.contains(.reserveSlot(.request)))
        #expect(harness.tell(.slot(.granted)).contains(.connect("strap", .direct)))
    }

    @Test func `a command does not wait for the next attempt`() {
        var harness = MachineHarness.ready()
        harness.hear(.disconnected(.strange, isReconnecting: false))
        #expect(harness.tell(.command(.connect)).contains(.reserveSlot(.request)))
    }

    @Test func `forgetting comes before disconnecting`() {
        var harness = MachineHarness.ready()
        harness.tell(.command(.forget))
        #expect(harness.tell(.command(.disconnect)) == [])
        #expect(harness.tell(.command(.forget)) == [])
    }

    @Test func `what is idle is forgotten once`() {
        var harness = MachineHarness.ready()
        harness.hear(.disconnected(.bondLost, isReconnecting: false))
        #expect(
            harness.tell(.command(.forget)) == [.erase, .report(.idle, .resting(.forgotten))]
        )
        #expect(harness.tell(.command(.forget)) == [])
    }

    @Test func `a command to forget while Bluetooth is off erases at once`() {
        var harness = MachineHarness.ready()
        harness.tell(.unavailable(.poweredOff))
        #expect(harness.tell(.command(.forget)) == [.erase, .report(.poweredOff, .requested)])
        harness.tell(.available)
        #expect(harness.machine.state == .idle(.forgotten))
    }

    @Test func `late callbacks of another peripheral mean nothing`() {
        var harness = MachineHarness.ready()
        let state = harness.machine.state
        #expect(harness.tell(.link("other", .disconnected(.lost, isReconnecting: false))) == [])
        #expect(harness.tell(.link("other", .connected(known: []))) == [])
        #expect(harness.machine.state == state)
    }

    @Test func `an old countdown means nothing`() {
        var harness = MachineHarness()
        harness.tell(.available, .command(.pair), .retrieved(nil))
        let scanning = Countdown(number: 1, deadline: .seconds(10))
        harness.tell(.found("strap", rssi: nil), .slot(.granted))
        let state = harness.machine.state
        #expect(harness.tell(.countdownEnded(scanning)) == [])
        #expect(harness.machine.state == state)
    }
}
