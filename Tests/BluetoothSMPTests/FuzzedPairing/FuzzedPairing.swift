// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport

@testable import BluetoothSMP

/// Pairings with random faults.
struct FuzzedPairing<Generator: RandomNumberGenerator> {
    private(set) var generator: Generator
    private var model: PairingModel
    private(set) var problems: [String] = []
    private(set) var pairings = 0
    private(set) var failures = 0
    /// Whether an attacker, a cancellation or a timeout has interfered since the pairing began.
    private var hasInterference = false

    init(generator: Generator) {
        self.generator = generator
        model = Self.makeModel(&self.generator)
    }

    private static func makeModel(_ generator: inout Generator) -> PairingModel {
        let scripts = PairingScript.all
        let script = scripts[Int.random(in: 0..<scripts.count, using: &generator)]
        var model = PairingModel(
            central: script.central,
            peripheral: script.peripheral,
            seed: generator.next()
        )
        model.isRecording = false
        return model
    }

    mutating func step() {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<80: continuePairing()
        case 80..<84: change()
        case 84..<86: if !model.air.isEmpty { interfere { $0.air.removeFirst() } }
        case 86..<88: if let first = model.air.first { interfere { $0.air.append(first) } }
        case 88..<92: inject()
        case 92..<95: happen(.answer(answer()))
        case 95..<96: happen(.encryption(Bool.random(using: &generator)))
        case 96..<97: cancel()
        case 97..<98: wait()
        default: interfere { $0.air.reverse() }
        }
        check()
    }

    private mutating func continuePairing() {
        if model.step() { return }
        hasInterference = false
        model.outcomes = [:]
        // The next pairing has to encrypt the link again. An end that is still pairing keeps its
        // state, because it distributes its keys on the encrypted link.
        for (end, machine) in model.machines where !machine.isPairing {
            model.isEncrypted[end] = false
        }
        if generator.happens(oneIn: 4) { model = Self.makeModel(&generator) }
        model.begin(generator.happens(oneIn: 4) ? .peripheral : .central)
    }

    private mutating func interfere(_ change: (inout PairingModel) -> Void) {
        hasInterference = true
        change(&model)
    }

    /// Flips a bit of the next PDU, truncates it, or extends it.
    private mutating func change() {
        guard var (end, bytes) = model.air.first, !bytes.isEmpty else { return }
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
                1 << UInt8(generator.next() % 8)
        case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
        default: bytes += generator.bytes(upTo: 8)
        }
        let changed = bytes
        interfere { $0.air[0] = (end, changed) }
        end = end.other
    }

    private mutating func inject() {
        let probes = Probe.all
        var bytes = probes[Int.random(in: 0..<probes.count, using: &generator)].bytes
        if generator.happens(oneIn: 2) {
            bytes = [UInt8(generator.next() % 16)] + generator.bytes(upTo: 66)
        }
        happen(.arrival(bytes))
    }

    private mutating func happen(_ event: PairingModel.Event) {
        let end: PairingModel.End = generator.happens(oneIn: 2) ? .central : .peripheral
        interfere { $0.happen(event, to: end) }
    }

    private mutating func answer() -> Pairing.Answer {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: .yes
        case 1: .no
        case 2: .passkey(UInt32(truncatingIfNeeded: generator.next()))
        default: .keypress(Pairing.Keypress(rawValue: UInt8(generator.next() % 5)) ?? .cleared)
        }
    }

    private mutating func cancel() {
        let end: PairingModel.End = generator.happens(oneIn: 2) ? .central : .peripheral
        hasInterference = true
        _ = model.machines[end]?.cancel()
        model.questions[end] = nil
    }

    /// Lets the timeout of a pairing pass.
    private mutating func wait() {
        guard generator.happens(oneIn: 4) else { return }
        model.now = model.now + .seconds(31)
        let now = model.now
        for end in PairingModel.End.allCases { _ = model.machines[end]?.deadlinePassed(now: now) }
        model = Self.makeModel(&generator)
        hasInterference = true
    }

    private mutating func check() {
        for (end, machine) in model.machines {
            if machine.isPairing != (machine.nextDeadline != nil) {
                problems.append("\(end): a deadline without a pairing, or a pairing without one")
            }
            if !machine.isPairing, machine.key(diversifier: 0, random: 0) != nil {
                problems.append("\(end): a key without pairing")
            }
            guard case .success(let keys)? = model.outcomes[end] else { continue }
            if keys.usesSecureConnections, keys.peerKey == nil || keys.localKey == nil {
                problems.append("\(end): paired without keys")
            }
        }
        if !model.pairedInClear.isEmpty { problems.append("paired without encryption") }
        compare()
    }

    /// Checks that both ends have the same keys if there was no interference, and counts the
    /// outcomes.
    private mutating func compare() {
        guard model.outcomes.count == 2 else { return }
        let keys = PairingModel.End.allCases.compactMap { try? model.outcomes[$0]?.get() }
        if keys.count == 2 { pairings += 1 } else { failures += 1 }
        if keys.count == 2, !hasInterference, keys[0].peerKey != keys[1].localKey {
            problems.append("paired with different keys")
        }
        model.outcomes = [:]
    }
}
