// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Explanations of why an accessory is not connected.
struct WhereaboutsTests {
    @Test func `one that is out of range`() {
        var harness = MachineHarness.ready()
        harness.now = .seconds(8)
        harness.hear(.seen(rssi: -83))
        harness.now = .seconds(20)
        harness.hear(.disconnected(.closed, isReconnecting: false))
        harness.now = .seconds(25)
        harness.hear(.seen(rssi: -83))
        #expect(
            harness.machine.whereabouts(at: .seconds(37)).lines == [
                "Its connection is pending. It was lost: the accessory ended the link (CBError 7).",
                "Bring it nearer, and make sure that it is switched on.",
                "It was last seen 12.00 s ago, at -83 dBm.",
                "attempt 1, direct, at -60 dBm: waiting for a slot 0.00 s, connecting 0.00 s, "
                    + "discovering services 0.00 s, discovering characteristics 0.00 s, "
                    + "subscribing 0.00 s; ready",
            ]
        )
    }

    @Test func `one whose next attempt is not yet`() throws {
        var harness = MachineHarness.ready()
        harness.hear(.disconnected(.strange, isReconnecting: false))
        let whereabouts = harness.machine.whereabouts(at: .zero)
        #expect(whereabouts.situation.hasPrefix("It is being connected to. It failed: nobody"))
        #expect(whereabouts.situation.contains("The next attempt is in 0."))
    }

    @Test func `a connection counts as being seen`() {
        var harness = MachineHarness.ready()
        harness.now = .seconds(660)
        harness.hear(.disconnected(.lost, isReconnecting: false))
        #expect(
            harness.machine.whereabouts(at: .seconds(668)).discovery
                == "It was connected until 8.00 s ago."
        )
        harness.hear(.connected(known: .all))
        #expect(harness.machine.whereabouts(at: .seconds(670)).discovery == nil)
        harness.now = .seconds(700)
        harness.tell(.unavailable(.poweredOff))
        #expect(
            harness.machine.whereabouts(at: .seconds(701)).discovery
                == "It was connected until 1.00 s ago."
        )
    }

    @Test func `one that was never seen`() {
        let harness = MachineHarness(isRemembered: true)
        #expect(
            harness.machine.whereabouts(at: .zero).lines == [
                "It waits for Bluetooth. Nothing has happened to it yet.",
                "It was not seen since the application was started.",
            ]
        )
    }

    @Test func `one that waits for a slot`() {
        var harness = MachineHarness()
        harness.tell(.available, .command(.pair), .retrieved("strap"))
        harness.tell(.slot(.delayed(AttemptRecord.Slots(inUse: 3, limit: 3))))
        let lines = harness.machine.whereabouts(at: .zero).lines
        #expect(
            lines.first
                == "It is being connected to. It waits until another link ends: 3 of 3 are in use."
        )
        #expect(lines.dropFirst().first == "Disconnect another accessory.")
    }

    @Test func `nothing is to be done about one that is ready`() {
        let whereabouts = MachineHarness.ready().machine.whereabouts(at: .zero)
        #expect(whereabouts.state == .ready)
        #expect(whereabouts.advice == nil)
        #expect(whereabouts.discovery == nil)
    }

    @Test func `at most three attempts are told of`() {
        var harness = MachineHarness.ready()
        for _ in 1...5 {
            harness.hear(.disconnected(.lost, isReconnecting: false), .connected(known: .all))
            harness.tell(.slot(.granted))
        }
        #expect(harness.machine.whereabouts(at: .zero).attempts.count == 3)
    }

    @Test(arguments: Situation.allCases)
    func `everybody gets an answer`(situation: Situation) {
        let machine = TransitionTable.machine(in: situation)
        #expect(!machine.whereabouts(at: .seconds(10)).description.isEmpty)
    }
}
