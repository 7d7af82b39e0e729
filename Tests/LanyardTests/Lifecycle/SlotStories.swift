// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Limited connection slots.
struct SlotStories {
    private let slots = AttemptRecord.Slots(inUse: 3, limit: 3)

    private func waiting() -> MachineHarness {
        var harness = MachineHarness()
        harness.tell(.available, .command(.pair), .retrieved("strap"))
        return harness
    }

    @Test func `nothing is connectionRequested without a slot`() {
        var harness = waiting()
        #expect(
            harness.tell(.slot(.delayed(slots))) == [.report(.connecting, .waitingForSlot(slots))]
        )
        #expect(harness.tell(.slot(.granted)).contains(.connect("strap", .direct)))
        harness.hear(.failedToConnect(.strange))
        #expect(harness.machine.log.records.last?.slots == slots)
    }

    @Test func `who no longer wants a slot gives it back`() {
        var harness = waiting()
        #expect(harness.tell(.command(.disconnect)).contains(.releaseSlot(limitReached: false)))
        #expect(harness.tell(.slot(.granted)) == [])
    }

    @Test func `a slot is given back at the end of the link, not when that is asked for`() {
        var harness = MachineHarness.ready()
        let actions = harness.tell(.command(.disconnect))
        #expect(actions.contains(.cancelConnection("strap")))
        #expect(!actions.contains(.releaseSlot(limitReached: false)))
        let end = harness.hear(.disconnected(nil, isReconnecting: false))
        #expect(end.contains(.releaseSlot(limitReached: false)))
    }

    @Test func `an end that nobody tells of comes by itself`() {
        var harness = MachineHarness.ready()
        harness.tell(.command(.disconnect))
        #expect(harness.wait().contains(.releaseSlot(limitReached: false)))
        #expect(harness.machine.state == .idle(.disconnected))
    }

    @Test
    func `one that comes by itself and gets no slot is connectionRequested when there is one`() {
        var harness = MachineHarness.ready()
        harness.hear(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        let away = harness.tell(.slot(.turnedAway(slots)))
        #expect(away.contains(.cancelConnection("strap")))
        #expect(!away.contains(.releaseSlot(limitReached: false)))
        let end = harness.hear(.disconnected(nil, isReconnecting: false))
        #expect(end.deeds == [.cancelCountdown(Countdown(number: 7, deadline: .seconds(5)))])
        #expect(harness.tell(.slot(.granted)).contains(.connect("strap", .direct)))
    }

    @Test func `a slot that is granted before the end of the link is used after it`() {
        var harness = MachineHarness.ready()
        harness.hear(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        harness.tell(.slot(.turnedAway(slots)))
        #expect(harness.tell(.slot(.granted)) == [])
        let end = harness.hear(.disconnected(nil, isReconnecting: false))
        #expect(end.contains(.connect("strap", .direct)))
    }

    @Test func `one that waits too long for its slot makes room`() {
        var harness = MachineHarness.ready()
        harness.hear(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        #expect(harness.wait().contains(.cancelConnection("strap")))
    }

    @Test func `one that has to make room asks again a little later`() {
        var harness = MachineHarness.ready()
        #expect(harness.tell(.slot(.revoked)).contains(.cancelConnection("strap")))
        let end = harness.hear(.disconnected(nil, isReconnecting: false))
        #expect(end.contains(.releaseSlot(limitReached: false)))
        #expect(harness.machine.state.countdown?.deadline == .seconds(4))
        #expect(harness.wait().contains(.reserveSlot(.request)))
    }

    @Test func `a limit of the system's is told to the pool`() {
        var harness = waiting()
        harness.tell(.slot(.granted))
        let actions = harness.hear(.failedToConnect(.full))
        #expect(actions.contains(.releaseSlot(limitReached: true)))
        #expect(harness.machine.state.countdown?.deadline == .seconds(4))
    }
}
