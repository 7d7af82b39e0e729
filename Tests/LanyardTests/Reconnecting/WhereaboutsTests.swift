// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Explanations of why an accessory is not connected.
struct WhereaboutsTests {
    @Test func `one that is out of range`() {
        var bench = MachineBench.ready()
        bench.now = .seconds(8)
        bench.hear(.seen(rssi: -83))
        bench.now = .seconds(20)
        bench.hear(.disconnected(.closed, isReconnecting: false))
        bench.now = .seconds(25)
        bench.hear(.seen(rssi: -83))
        #expect(
            bench.machine.whereabouts(at: .seconds(37)).lines == [
                "It is waited for. It was lost: the accessory ended the link (CBError 7).",
                "Bring it nearer, and make sure that it is switched on.",
                "It was last seen 12.00 s ago, at -83 dBm.",
                "attempt 1, dialled, at -60 dBm: waiting for a slot 0.00 s, connecting 0.00 s, "
                    + "discovering services 0.00 s, discovering characteristics 0.00 s, "
                    + "subscribing 0.00 s; ready",
            ]
        )
    }

    @Test func `one whose next attempt is not yet`() throws {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(.strange, isReconnecting: false))
        let whereabouts = bench.machine.whereabouts(at: .zero)
        #expect(whereabouts.situation.hasPrefix("It is being connected to. It failed: nobody"))
        #expect(whereabouts.situation.contains("The next attempt is in 0."))
    }

    @Test func `a connection counts as being seen`() {
        var bench = MachineBench.ready()
        bench.now = .seconds(660)
        bench.hear(.disconnected(.lost, isReconnecting: false))
        #expect(
            bench.machine.whereabouts(at: .seconds(668)).sighting
                == "It was connected until 8.00 s ago."
        )
        bench.hear(.connected(known: .all))
        #expect(bench.machine.whereabouts(at: .seconds(670)).sighting == nil)
        bench.now = .seconds(700)
        bench.tell(.unavailable(.poweredOff))
        #expect(
            bench.machine.whereabouts(at: .seconds(701)).sighting
                == "It was connected until 1.00 s ago."
        )
    }

    @Test func `one that was never seen`() {
        let bench = MachineBench(isRemembered: true)
        #expect(
            bench.machine.whereabouts(at: .zero).lines == [
                "It waits for Bluetooth. Nothing has happened to it yet.",
                "It was not seen since the application was started.",
            ]
        )
    }

    @Test func `one that waits for a slot`() {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved("strap"))
        bench.tell(.slot(.delayed(AttemptRecord.Slots(inUse: 3, limit: 3))))
        let lines = bench.machine.whereabouts(at: .zero).lines
        #expect(
            lines.first
                == "It is being connected to. It waits until another link ends: 3 of 3 are in use."
        )
        #expect(lines.dropFirst().first == "Disconnect another accessory.")
    }

    @Test func `nothing is to be done about one that is ready`() {
        let whereabouts = MachineBench.ready().machine.whereabouts(at: .zero)
        #expect(whereabouts.state == .ready)
        #expect(whereabouts.advice == nil)
        #expect(whereabouts.sighting == nil)
    }

    @Test func `at most three attempts are told of`() {
        var bench = MachineBench.ready()
        for _ in 1...5 {
            bench.hear(.disconnected(.lost, isReconnecting: false), .connected(known: .all))
            bench.tell(.slot(.granted))
        }
        #expect(bench.machine.whereabouts(at: .zero).attempts.count == 3)
    }

    @Test(arguments: Situation.allCases)
    func `everybody gets an answer`(situation: Situation) {
        let machine = TransitionTable.machine(in: situation)
        #expect(!machine.whereabouts(at: .seconds(10)).description.isEmpty)
    }
}
