// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothSMP

/// Every PDU in every state: each play is interrupted before each of its events, and every PDU
/// arrives there, whole, truncated and with additional bytes.
@Suite("Every PDU in every state")
struct EveryPDUTests {
    @Test(
        "A play follows the specification, and both ends get the same keys",
        arguments: Play.all
    )
    func plays(_ play: Play) throws {
        let encounter = play.play()
        let lines = play.lines.before + play.lines.after
        #expect(encounter.transcript.map { Play.Line(from: $0.from, code: $0.code) } == lines)
        #expect(encounter.violations.isEmpty)
        let central = try encounter.keys(.central)
        let peripheral = try encounter.keys(.peripheral)
        #expect(central.method == play.method)
        #expect(central.peerKey == peripheral.localKey)
        #expect(central.usesSecureConnections == play.usesSecureConnections)
    }

    @Test("The order in which the two users answer has no effect", arguments: Play.all)
    func slower(_ play: Play) throws {
        let encounter = play.play(faster: .peripheral)
        let central = try encounter.keys(.central)
        let peripheral = try encounter.keys(.peripheral)
        #expect(central.peerKey == peripheral.localKey)
        #expect(encounter.violations.isEmpty)
    }

    @Test(
        "A PDU at the wrong time or in the wrong form is refused or ignored",
        arguments: Play.all
    )
    func everyPDU(_ play: Play) {
        let encounters = [play.play(), play.play(faster: .peripheral)]
        for moment in encounters.flatMap(\.moments) where !play.isRepeating(at: moment.progress) {
            for probe in Probe.all { Rehearsal(play, moment, probe).judge() }
        }
    }

    @Test(
        "An idle machine accepts only PDUs that start a pairing",
        arguments: Encounter.End.allCases
    )
    func idle(end: Encounter.End) {
        for probe in Probe.all {
            var machine = SecurityManager(Encounter.context(end))
            let actions = Rehearsal.receive(probe.bytes, &machine)
            #expect(actions.allSatisfy { $0.isRefusal }, "\(probe.bytes.hexadecimal): \(actions)")
            #expect(!machine.isPairing)
            #expect(machine.nextDeadline == nil)
        }
    }

    @Test("A machine after a pairing does not start another by itself", arguments: Play.all)
    func done(_ play: Play) {
        let encounter = play.play()
        for (end, machine) in encounter.machines {
            for probe in Probe.all where probe.code != .pairingRequest {
                var machine = machine
                let actions = Rehearsal.receive(probe.bytes, &machine)
                let isWanted = end == .central && probe.code == .securityRequest
                #expect(actions.allSatisfy { $0.isRefusal || isWanted && $0.isWanted })
                #expect(!machine.isPairing)
            }
        }
    }

    @Test("After the timeout PDUs are neither accepted nor sent", arguments: Play.all)
    func dead(_ play: Play) {
        for moment in play.play().moments where moment.machine.isPairing {
            var machine = moment.machine
            guard let deadline = machine.nextDeadline else {
                Issue.record("no deadline while pairing")
                continue
            }
            let early = machine.deadlinePassed(now: deadline + .nanoseconds(-1))
            #expect(early.isEmpty && machine.isPairing)
            let actions = machine.deadlinePassed(now: deadline)
            #expect(actions.last == .failed(.timedOut))
            #expect(!actions.contains { $0.isSending })
            #expect(!machine.isPairing && machine.nextDeadline == nil)
            for probe in Probe.all {
                #expect(!Rehearsal.receive(probe.bytes, &machine).contains { $0.isSending })
            }
            #expect(machine.key(diversifier: 0, random: 0) == nil)
        }
    }

    @Test("A machine that cancels notifies the peer and has no key", arguments: Play.all)
    func cancelled(_ play: Play) {
        for moment in play.play().moments where moment.machine.isPairing {
            var machine = moment.machine
            let actions = machine.cancel()
            #expect(actions.last == .failed(.cancelled))
            #expect(actions.filter { $0.isSending }.allSatisfy { $0.isRefusal })
            #expect(!machine.isPairing)
            #expect(machine.key(diversifier: 0, random: 0) == nil)
            #expect(machine.cancel().isEmpty)
        }
    }
}
