// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Limited connection slots.
struct SlotTests {
    private let slots = AttemptRecord.Slots(inUse: 3, limit: 3)

    private func waiting() -> MachineHarness {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved("strap"))
        return harness
    }

    @Test("The machine makes no direct connection request without a slot")
    func requestNeedsSlot() {
        var harness = waiting()
        #expect(
            harness.send(.slot(.delayed(slots))) == [.report(.connecting, .waitingForSlot(slots))]
        )
        #expect(harness.send(.slot(.granted)).contains(.connect("strap", .direct)))
        harness.linkReports(.failedToConnect(.strange))
        #expect(harness.machine.log.records.last?.slots == slots)
    }

    @Test("A command to disconnect withdraws the request for a slot")
    func withdrawal() {
        var harness = waiting()
        #expect(harness.send(.command(.disconnect)).contains(.releaseSlot(limitReached: false)))
        #expect(harness.send(.slot(.granted)) == [])
    }

    @Test("The machine releases its slot at the end of the link, not when it cancels the link")
    func releasedAtEnd() {
        var harness = MachineHarness.ready()
        let actions = harness.send(.command(.disconnect))
        #expect(actions.contains(.cancelConnection("strap")))
        #expect(!actions.contains(.releaseSlot(limitReached: false)))
        let end = harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(end.contains(.releaseSlot(limitReached: false)))
    }

    @Test("The machine releases its slot after a timeout if the system reports no end")
    func unreportedEnd() {
        var harness = MachineHarness.ready()
        harness.send(.command(.disconnect))
        #expect(harness.wait().contains(.releaseSlot(limitReached: false)))
        #expect(harness.machine.state == .idle(.disconnected))
    }

    @Test("An accessory that was denied a slot connects when a slot is free")
    func denied() {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        let away = harness.send(.slot(.denied(slots)))
        #expect(away.contains(.cancelConnection("strap")))
        #expect(!away.contains(.releaseSlot(limitReached: false)))
        let end = harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(end.effects == [.cancelCountdown(Countdown(number: 7, deadline: .seconds(5)))])
        #expect(harness.send(.slot(.granted)).contains(.connect("strap", .direct)))
    }

    @Test("A slot granted before the end of the link is used after it")
    func earlyGrant() {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        harness.send(.slot(.denied(slots)))
        #expect(harness.send(.slot(.granted)) == [])
        let end = harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(end.contains(.connect("strap", .direct)))
    }

    @Test("A link that waits too long for its slot ends")
    func slotTimeout() {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        #expect(harness.wait().contains(.cancelConnection("strap")))
    }

    @Test("An accessory whose slot was revoked requests another one after a delay")
    func revokedSlot() {
        var harness = MachineHarness.ready()
        #expect(harness.send(.slot(.revoked)).contains(.cancelConnection("strap")))
        let end = harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(end.contains(.releaseSlot(limitReached: false)))
        #expect(harness.machine.state.countdown?.deadline == .seconds(4))
        #expect(harness.wait().contains(.reserveSlot(.request)))
    }

    @Test("The machine reports a connection limit of the system to the pool")
    func systemLimit() {
        var harness = waiting()
        harness.send(.slot(.granted))
        let actions = harness.linkReports(.failedToConnect(.full))
        #expect(actions.contains(.releaseSlot(limitReached: true)))
        #expect(harness.machine.state.countdown?.deadline == .seconds(4))
    }

    /// Returns a machine whose pending connection request the system has refused.
    private func refused(_ failure: LinkFailure = .full) -> MachineHarness {
        var harness = MachineHarness.ready()
        harness.linkReports(
            .disconnected(.lost, isReconnecting: false),
            .failedToConnect(failure)
        )
        return harness
    }

    @Test("A released slot ends the pause after a pending request that the system refused")
    func freedSlot() {
        var harness = refused()
        #expect(harness.machine.isRefused(at: harness.now))
        let actions = harness.send(.slot(.freed))
        #expect(actions.contains(.cancelConnection("strap")))
        let end = harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(end.contains(.connect("strap", .pending(after: .zero))))
        // The request needs no slot, so a refusal does not lower the learned limit of links.
        #expect(!(actions + end).contains(.reserveSlot(.request)))
    }

    @Test("A released slot does not end a pause for another reason, or a request under way")
    func freedSlotWithoutRefusal() {
        var harness = refused(.strange)
        #expect(!harness.machine.isRefused(at: harness.now))
        #expect(harness.send(.slot(.freed)) == [])
        harness = refused()
        harness.now = .seconds(4)
        #expect(!harness.machine.isRefused(at: harness.now))
        #expect(harness.send(.slot(.freed)) == [])
    }

    @Test("The diagnosis of a refused pending request advises to disconnect another accessory")
    func refusedAdvice() {
        let machine = refused().machine
        #expect(machine.diagnosis(at: .zero).advice == "Disconnect another accessory.")
        // The system has accepted the request that followed.
        let later = machine.diagnosis(at: .seconds(10)).advice
        #expect(later == "Bring it nearer, and make sure that it is switched on.")
    }
}
