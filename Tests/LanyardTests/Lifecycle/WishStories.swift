// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Calls of the app that change earlier ones.
struct WishStories {
    @Test func `what is forgotten is erased at once, and its link ended`() {
        var bench = MachineBench.ready()
        let actions = bench.tell(.wished(.forget))
        #expect(actions.contains(.cancelConnection("strap")))
        #expect(actions.contains(.erase))
        #expect(!bench.machine.isRemembered)
        bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(bench.machine.state == .idle(.forgotten))
        #expect(bench.tell(.wished(.connect)) == [])
    }

    @Test func `an attempt that is under way can be forgotten`() {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved("strap"), .slot(.granted))
        bench.tell(.wished(.forget))
        #expect(bench.hear(.connected(known: [])) == [])
        bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(bench.machine.state == .idle(.forgotten))
    }

    @Test func `so can one that stands`() {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(.lost, isReconnecting: false))
        let actions = bench.tell(.wished(.forget))
        #expect(actions.contains(.cancelConnection("strap")))
        #expect(!actions.contains(.releaseSlot(limitReached: false)))
        bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(bench.machine.state == .idle(.forgotten))
    }

    @Test func `a new one is paired after the old one is gone`() {
        var bench = MachineBench.ready()
        bench.tell(.wished(.forget), .wished(.pair))
        let actions = bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(actions.contains(.retrieve(.heldBySystem)))
        #expect(actions.contains(.releaseSlot(limitReached: false)))
    }

    @Test func `one that was disconnected is connected again by a wish`() {
        var bench = MachineBench.ready()
        bench.tell(.wished(.disconnect), .wished(.connect))
        let actions = bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(actions.contains(.releaseSlot(limitReached: false)))
        #expect(actions.contains(.reserveSlot(.dial)))
        #expect(bench.tell(.slot(.granted)).contains(.connect("strap", .dial)))
    }

    @Test func `a wish does not wait for the next attempt`() {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(.strange, isReconnecting: false))
        #expect(bench.tell(.wished(.connect)).contains(.reserveSlot(.dial)))
    }

    @Test func `forgetting comes before disconnecting`() {
        var bench = MachineBench.ready()
        bench.tell(.wished(.forget))
        #expect(bench.tell(.wished(.disconnect)) == [])
        #expect(bench.tell(.wished(.forget)) == [])
    }

    @Test func `what is idle is forgotten once`() {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(.bondLost, isReconnecting: false))
        #expect(
            bench.tell(.wished(.forget)) == [.erase, .report(.idle, .resting(.forgotten))]
        )
        #expect(bench.tell(.wished(.forget)) == [])
    }

    @Test func `a wish to forget while Bluetooth is off erases at once`() {
        var bench = MachineBench.ready()
        bench.tell(.unavailable(.poweredOff))
        #expect(bench.tell(.wished(.forget)) == [.erase, .report(.poweredOff, .wished)])
        bench.tell(.available)
        #expect(bench.machine.state == .idle(.forgotten))
    }

    @Test func `late callbacks of another peripheral mean nothing`() {
        var bench = MachineBench.ready()
        let state = bench.machine.state
        #expect(bench.tell(.link("other", .disconnected(.lost, isReconnecting: false))) == [])
        #expect(bench.tell(.link("other", .connected(known: []))) == [])
        #expect(bench.machine.state == state)
    }

    @Test func `an old countdown means nothing`() {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved(nil))
        let scanning = Countdown(number: 1, deadline: .seconds(10))
        bench.tell(.found("strap", rssi: nil), .slot(.granted))
        let state = bench.machine.state
        #expect(bench.tell(.countdownEnded(scanning)) == [])
        #expect(bench.machine.state == state)
    }
}
