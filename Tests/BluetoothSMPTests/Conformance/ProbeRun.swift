// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothSMP

/// One snapshot of a script, a probe that arrives then, and the result.
struct ProbeRun {
    let script: PairingScript
    let snapshot: PairingModel.Snapshot
    let probe: Probe
    private var machine: SecurityManager
    private var generator: SplitMix64
    private let actions: [SecurityManager.Action]

    init(_ script: PairingScript, _ snapshot: PairingModel.Snapshot, _ probe: Probe) {
        self.script = script
        self.snapshot = snapshot
        self.probe = probe
        machine = snapshot.machine
        generator = snapshot.generator
        actions = machine.receive(probe.bytes[...], using: &generator, now: .zero)
    }

    /// Passes bytes to a Security Manager without a script.
    static func receive(
        _ bytes: [UInt8],
        _ machine: inout SecurityManager
    ) -> [SecurityManager.Action] {
        var generator = SplitMix64(seed: 99)
        return machine.receive(bytes[...], using: &generator, now: .zero)
    }

    private var place: Comment {
        let question = snapshot.question.map { ", asking \($0)" } ?? ""
        return
            "\(snapshot.end.rawValue) after \(snapshot.progress) PDUs\(question): \(probe.bytes.hexadecimal) -> \(actions)"
    }

    func judge() {
        let verdict = Verdict(on: probe, at: snapshot, of: script)
        #expect(!actions.contains { $0.isPaired } || isLastLine, place)
        #expect(
            actions.contains { $0.isFailed } || machine.isPairing == snapshot.machine.isPairing
                || isBeginning || isLastLine,
            place
        )
        switch verdict.kind {
        case .ignored: expectNothing()
        case .refused(let reasons): expectRefusal(reasons)
        case .ended:
            #expect(!actions.contains { $0.isSending }, place)
            expectEnd()
        case .turnedAway: #expect(actions.allSatisfy { $0.isRefusal } && !machine.isPairing, place)
        case .judged(let reasons): expectJudgement(reasons)
        }
    }

    /// Whether this end awaits its last key. A probe with a key may then complete the pairing,
    /// because any key is acceptable.
    private var isLastLine: Bool {
        snapshot.isEncrypted
            && snapshot.progress + 1 >= script.lines.before.count + script.lines.after.count
            || snapshot.isEncrypted && snapshot.end == .central
                && snapshot.progress + 1 == script.lines.before.count + script.lines.after.count / 2
    }

    private var isBeginning: Bool { actions.contains(.begun) }

    /// Checks that nothing is sent and that the script continues unchanged.
    private func expectNothing() {
        #expect(actions.allSatisfy { !$0.isSending && !$0.isFailed && !$0.isPaired }, place)
        var machine = machine
        var generator = generator
        let next = snapshot.event.happen(to: &machine, using: &generator, now: .zero)
        #expect(next == snapshot.actions, place)
    }

    private func expectRefusal(_ reasons: [Pairing.FailureReason]) {
        let sent = actions.compactMap(\.sent)
        #expect(sent.count == 1 && reasons.contains { sent.first == [0x05, $0.rawValue] }, place)
        expectEnd()
    }

    /// Checks that the pairing has ended: no key, no question, and at most refusals after the next
    /// event.
    private func expectEnd() {
        #expect(actions.filter { $0.isFailed }.count == 1, place)
        #expect(actions.contains(.withdrawQuestion) || snapshot.question == nil, place)
        #expect(!machine.isPairing, place)
        #expect(machine.key(diversifier: 0, random: 0) == nil, place)
        var machine = machine
        var generator = generator
        if snapshot.progress == 0 { return }
        let next = snapshot.event.happen(to: &machine, using: &generator, now: .zero)
        #expect(next.allSatisfy { $0.isRefusal }, place)
    }

    /// Checks the result of a PDU that was awaited. A wrong value that the receiver can detect is
    /// refused. The public key and the DHKey check of a probe are always wrong.
    private func expectJudgement(_ reasons: [Pairing.FailureReason]) {
        guard actions.contains(where: { $0.isFailed }) else {
            #expect(!actions.contains { $0.isEncrypting }, place)
            let isCertainlyWrong =
                probe.code == .pairingPublicKey || probe.code == .pairingDHKeyCheck
            #expect(!isCertainlyWrong, place)
            return
        }
        expectRefusal(reasons)
    }
}

extension SecurityManager.Action {
    var sent: [UInt8]? { if case .send(let bytes) = self { bytes } else { nil } }

    var isPaired: Bool { if case .paired = self { true } else { false } }

    var isFailed: Bool { if case .failed = self { true } else { false } }

    var isSecurityRequested: Bool { if case .securityRequested = self { true } else { false } }

    /// Whether the action is a report of a violation or a Pairing Failed to the peer.
    var isRefusal: Bool {
        switch self {
        case .violated: true
        case .send(let bytes): bytes.first == SMP.Code.pairingFailed.rawValue
        default: false
        }
    }
}
