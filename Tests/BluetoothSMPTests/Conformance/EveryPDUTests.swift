// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothSMP

/// Every PDU in every state. Each script is interrupted before each of its events, except in the
/// middle rounds of a passkey. At each interruption, every PDU arrives: whole, truncated, and with
/// additional bytes.
@Suite("Every PDU in every state")
struct EveryPDUTests {
    @Test(
        "A scripted pairing follows the specification, and both ends get the same keys",
        arguments: PairingScript.all
    )
    func scriptedPairing(_ script: PairingScript) throws {
        let model = script.run()
        let lines = script.lines.before + script.lines.after
        #expect(model.transcript.map { PairingScript.Line(from: $0.from, code: $0.code) } == lines)
        #expect(model.violations.isEmpty)
        let central = try model.keys(.central)
        let peripheral = try model.keys(.peripheral)
        #expect(central.method == script.method)
        #expect(central.peerKey == peripheral.localKey)
        #expect(central.usesSecureConnections == script.usesSecureConnections)
    }

    @Test("The order in which the two users answer has no effect", arguments: PairingScript.all)
    func slower(_ script: PairingScript) throws {
        let model = script.run(faster: .peripheral)
        let central = try model.keys(.central)
        let peripheral = try model.keys(.peripheral)
        #expect(central.peerKey == peripheral.localKey)
        #expect(model.violations.isEmpty)
    }

    @Test(
        "A PDU at the wrong time or in the wrong form is refused or ignored",
        arguments: PairingScript.all
    )
    func everyPDU(_ script: PairingScript) {
        let models = [script.run(), script.run(faster: .peripheral)]
        for snapshot in models.flatMap(\.snapshots) where !script.isRepeating(at: snapshot.progress)
        {
            for probe in Probe.all { ProbeRun(script, snapshot, probe).judge() }
        }
    }

    @Test(
        "An idle Security Manager without a policy starts no pairing",
        arguments: PairingModel.End.allCases
    )
    func idle(end: PairingModel.End) {
        for probe in Probe.all {
            var machine = SecurityManager(PairingModel.context(end))
            let actions = ProbeRun.receive(probe.bytes, &machine)
            #expect(actions.allSatisfy { $0.isRefusal }, "\(probe.bytes.hexadecimal): \(actions)")
            #expect(!machine.isPairing)
            #expect(machine.nextDeadline == nil)
        }
    }

    @Test(
        "After a pairing, no other pairing starts without a request",
        arguments: PairingScript.all
    )
    func done(_ script: PairingScript) {
        let model = script.run()
        for (end, machine) in model.machines {
            for probe in Probe.all where probe.code != .pairingRequest {
                var machine = machine
                let actions = ProbeRun.receive(probe.bytes, &machine)
                let isSecurityRequested = end == .central && probe.code == .securityRequest
                #expect(
                    actions.allSatisfy {
                        $0.isRefusal || isSecurityRequested && $0.isSecurityRequested
                    }
                )
                #expect(!machine.isPairing)
            }
        }
    }

    @Test("After the timeout, PDUs are neither accepted nor sent", arguments: PairingScript.all)
    func timedOut(_ script: PairingScript) {
        for snapshot in script.run().snapshots where snapshot.machine.isPairing {
            var machine = snapshot.machine
            guard let deadline = machine.nextDeadline else {
                Issue.record("The pairing has no deadline")
                continue
            }
            let early = machine.deadlinePassed(now: deadline + .nanoseconds(-1))
            #expect(early.isEmpty && machine.isPairing)
            let actions = machine.deadlinePassed(now: deadline)
            #expect(actions.last == .failed(.timedOut))
            #expect(!actions.contains { $0.isSending })
            #expect(!machine.isPairing && machine.nextDeadline == nil)
            for probe in Probe.all {
                #expect(!ProbeRun.receive(probe.bytes, &machine).contains { $0.isSending })
            }
            #expect(machine.key(diversifier: 0, random: 0) == nil)
        }
    }

    @Test("A canceled pairing sends only refusals and has no key", arguments: PairingScript.all)
    func cancelled(_ script: PairingScript) {
        for snapshot in script.run().snapshots where snapshot.machine.isPairing {
            var machine = snapshot.machine
            let actions = machine.cancel()
            #expect(actions.last == .failed(.cancelled))
            #expect(actions.filter { $0.isSending }.allSatisfy { $0.isRefusal })
            #expect(!machine.isPairing)
            #expect(machine.key(diversifier: 0, random: 0) == nil)
            #expect(machine.cancel().isEmpty)
        }
    }
}
