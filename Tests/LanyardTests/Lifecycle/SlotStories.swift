// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Limited connection slots.
struct SlotStories {
    private let slots = AttemptRecord.Slots(inUse: 3, limit: 3)

    private func waiting() -> MachineBench {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved("strap"))
        return bench
    }

    @Test func `nothing is dialled without a slot`() {
        var bench = waiting()
        #expect(
            bench.tell(.slot(.delayed(slots))) == [.report(.connecting, .waitingForSlot(slots))]
        )
        #expect(bench.tell(.slot(.granted)).contains(.connect("strap", .dial)))
        bench.hear(.failedToConnect(.strange))
        #expect(bench.machine.log.records.last?.slots == slots)
    }

    @Test func `who no longer wants a slot gives it back`() {
        var bench = waiting()
        #expect(bench.tell(.wished(.disconnect)).contains(.releaseSlot(limitReached: false)))
        #expect(bench.tell(.slot(.granted)) == [])
    }

    @Test func `a slot is given back at the end of the link, not when that is asked for`() {
        var bench = MachineBench.ready()
        let actions = bench.tell(.wished(.disconnect))
        #expect(actions.contains(.cancelConnection("strap")))
        #expect(!actions.contains(.releaseSlot(limitReached: false)))
        let end = bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(end.contains(.releaseSlot(limitReached: false)))
    }

    @Test func `an end that nobody tells of comes by itself`() {
        var bench = MachineBench.ready()
        bench.tell(.wished(.disconnect))
        #expect(bench.wait().contains(.releaseSlot(limitReached: false)))
        #expect(bench.machine.state == .idle(.disconnected))
    }

    @Test func `one that comes by itself and gets no slot is dialled when there is one`() {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        let away = bench.tell(.slot(.turnedAway(slots)))
        #expect(away.contains(.cancelConnection("strap")))
        #expect(!away.contains(.releaseSlot(limitReached: false)))
        let end = bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(end.deeds == [.cancelCountdown(Countdown(number: 7, deadline: .seconds(5)))])
        #expect(bench.tell(.slot(.granted)).contains(.connect("strap", .dial)))
    }

    @Test func `a slot that is granted before the end of the link is used after it`() {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        bench.tell(.slot(.turnedAway(slots)))
        #expect(bench.tell(.slot(.granted)) == [])
        let end = bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(end.contains(.connect("strap", .dial)))
    }

    @Test func `one that waits too long for its slot makes room`() {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        #expect(bench.wait().contains(.cancelConnection("strap")))
    }

    @Test func `one that has to make room asks again a little later`() {
        var bench = MachineBench.ready()
        #expect(bench.tell(.slot(.revoked)).contains(.cancelConnection("strap")))
        let end = bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(end.contains(.releaseSlot(limitReached: false)))
        #expect(bench.machine.state.countdown?.deadline == .seconds(4))
        #expect(bench.wait().contains(.reserveSlot(.dial)))
    }

    @Test func `a limit of the system's is told to the pool`() {
        var bench = waiting()
        bench.tell(.slot(.granted))
        let actions = bench.hear(.failedToConnect(.full))
        #expect(actions.contains(.releaseSlot(limitReached: true)))
        #expect(bench.machine.state.countdown?.deadline == .seconds(4))
    }
}
