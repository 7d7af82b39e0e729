// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Explanations of why an accessory is not connected.
struct ConnectionDiagnosisTests {
    @Test("The explanation of an accessory out of range lists its reason, advice, and attempts")
    func outOfRange() {
        var harness = MachineHarness.ready()
        harness.now = .seconds(8)
        harness.linkReports(.seen(rssi: -83))
        harness.now = .seconds(20)
        harness.linkReports(.disconnected(.closed, isReconnecting: false))
        harness.now = .seconds(25)
        harness.linkReports(.seen(rssi: -83))
        #expect(
            harness.machine.diagnosis(at: .seconds(37)).lines == [
                "Its connection is pending. It was lost: the accessory ended the link (CBError 7).",
                "Bring it nearer, and make sure that it is switched on.",
                "It was last seen 12.00 s ago, at -83 dBm.",
                "attempt 1, direct, at -60 dBm: waiting for a slot 0.00 s, connecting 0.00 s, "
                    + "discovering services 0.00 s, discovering characteristics 0.00 s, "
                    + "subscribing 0.00 s; ready",
            ]
        )
    }

    @Test("The explanation of a delayed attempt contains the failure and the delay")
    func delayedAttempt() throws {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.strange, isReconnecting: false))
        let diagnosis = harness.machine.diagnosis(at: .zero)
        #expect(diagnosis.situation.hasPrefix("It is being connected to. It failed: an unknown"))
        #expect(diagnosis.situation.contains("The next attempt is in 0."))
    }

    @Test("The explanation states when the accessory was last connected")
    func connection() {
        var harness = MachineHarness.ready()
        harness.now = .seconds(660)
        harness.linkReports(.disconnected(.lost, isReconnecting: false))
        #expect(
            harness.machine.diagnosis(at: .seconds(668)).discovery
                == "It was connected until 8.00 s ago."
        )
        harness.linkReports(.connected(known: .all))
        #expect(harness.machine.diagnosis(at: .seconds(670)).discovery == nil)
        harness.now = .seconds(700)
        harness.send(.unavailable(.poweredOff))
        #expect(
            harness.machine.diagnosis(at: .seconds(701)).discovery
                == "It was connected until 1.00 s ago."
        )
    }

    @Test("The explanation states that an accessory was never discovered")
    func neverDiscovered() {
        let harness = MachineHarness(isRemembered: true)
        #expect(
            harness.machine.diagnosis(at: .zero).lines == [
                "It waits for Bluetooth. Nothing has happened to it yet.",
                "It has not been seen since the app started.",
            ]
        )
    }

    @Test("The explanation of a wait for a slot contains the slots in use")
    func waitingForSlot() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved("strap"))
        harness.send(.slot(.delayed(AttemptRecord.Slots(inUse: 3, limit: 3))))
        let lines = harness.machine.diagnosis(at: .zero).lines
        #expect(
            lines.first
                == "It is being connected to. It waits until another link ends: 3 of 3 are in use."
        )
        #expect(lines.dropFirst().first == "Disconnect another accessory.")
    }

    @Test("The explanation of a ready accessory contains no advice")
    func ready() {
        let diagnosis = MachineHarness.ready().machine.diagnosis(at: .zero)
        #expect(diagnosis.state == .ready)
        #expect(diagnosis.advice == nil)
        #expect(diagnosis.discovery == nil)
    }

    @Test("An explanation contains at most three attempts")
    func attemptLimit() {
        var harness = MachineHarness.ready()
        for _ in 1...5 {
            harness.linkReports(
                .disconnected(.lost, isReconnecting: false),
                .connected(known: .all)
            )
            harness.send(.slot(.granted))
        }
        #expect(harness.machine.diagnosis(at: .zero).attempts.count == 3)
    }

    @Test("Every state has an explanation", arguments: StateKind.allCases)
    func everyState(kind: StateKind) {
        let machine = TransitionTable.machine(in: kind)
        #expect(!machine.diagnosis(at: .seconds(10)).description.isEmpty)
    }
}
