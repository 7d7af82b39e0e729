// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothSMP

/// Two machines, and somebody on the air between them who drops, repeats, turns, cuts and makes up
/// PDUs, while people answer what they were not asked and controllers tell what is not so.
@Suite("Pairings that go wrong at random")
struct FuzzTests {
    /// Eight times as many in all.
    static let stepCount = 25_000

    @Test(
        "Nothing traps, and nobody is paired who has not gone through all of it",
        arguments: 0..<8 as Range<UInt64>
    )
    func fuzz(seed: UInt64) {
        var storm = Storm(seed: seed)
        for step in 0..<Self.stepCount {
            storm.step()
            guard storm.complaints.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(storm.complaints)")
                return
            }
        }
        // Some have come through, or the test would show nothing.
        #expect(storm.pairings > 20, "seed \(seed)")
        #expect(storm.failures > 200, "seed \(seed)")
    }
}

/// One random run.
private struct Storm {
    private var dice: SplitMix64
    private var encounter: Encounter
    private(set) var complaints: [String] = []
    private(set) var pairings = 0
    private(set) var failures = 0
    /// Whether anybody has meddled since the ends last began.
    private var isMeddled = false

    init(seed: UInt64) {
        dice = SplitMix64(seed: seed)
        encounter = Self.meet(&dice)
    }

    private static func meet(_ dice: inout SplitMix64) -> Encounter {
        let plays = Play.all
        let play = plays[Int.random(in: 0..<plays.count, using: &dice)]
        var encounter = Encounter(
            central: play.central,
            peripheral: play.peripheral,
            seed: dice.next()
        )
        encounter.isRecording = false
        return encounter
    }

    mutating func step() {
        switch Int.random(in: 0..<100, using: &dice) {
        case 0..<80: goOn()
        case 80..<84: change()
        case 84..<86: if !encounter.air.isEmpty { meddle { $0.air.removeFirst() } }
        case 86..<88: if let first = encounter.air.first { meddle { $0.air.append(first) } }
        case 88..<92: inject()
        case 92..<95: happen(.answer(answer()))
        case 95..<96: happen(.encryption(Bool.random(using: &dice)))
        case 96..<97: cancel()
        case 97..<98: wait()
        default: meddle { $0.air.reverse() }
        }
        check()
    }

    private mutating func goOn() {
        if encounter.step() { return }
        isMeddled = false
        encounter.outcomes = [:]
        encounter.isEncrypted = [.central: false, .peripheral: false]
        if dice.happens(oneIn: 4) { encounter = Self.meet(&dice) }
        encounter.begin(dice.happens(oneIn: 4) ? .peripheral : .central)
    }

    private mutating func meddle(_ change: (inout Encounter) -> Void) {
        isMeddled = true
        change(&encounter)
    }

    /// Turns a bit of what is on the air, or cuts it, or adds to it.
    private mutating func change() {
        guard var (end, bytes) = encounter.air.first, !bytes.isEmpty else { return }
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: bytes[Int.random(in: 0..<bytes.count, using: &dice)] ^= 1 << UInt8(dice.next() % 8)
        case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &dice))
        default: bytes += dice.bytes(upTo: 8)
        }
        let changed = bytes
        meddle { $0.air[0] = (end, changed) }
        end = end.other
    }

    private mutating func inject() {
        let probes = Probe.all
        var bytes = probes[Int.random(in: 0..<probes.count, using: &dice)].bytes
        if dice.happens(oneIn: 2) { bytes = [UInt8(dice.next() % 16)] + dice.bytes(upTo: 66) }
        happen(.arrival(bytes))
    }

    private mutating func happen(_ event: Encounter.Event) {
        let end: Encounter.End = dice.happens(oneIn: 2) ? .central : .peripheral
        meddle { $0.happen(event, to: end) }
    }

    private mutating func answer() -> Pairing.Answer {
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: .yes
        case 1: .no
        case 2: .passkey(UInt32(truncatingIfNeeded: dice.next()))
        default: .keypress(Pairing.Keypress(rawValue: UInt8(dice.next() % 5)) ?? .cleared)
        }
    }

    private mutating func cancel() {
        let end: Encounter.End = dice.happens(oneIn: 2) ? .central : .peripheral
        isMeddled = true
        _ = encounter.machines[end]?.cancel()
        encounter.questions[end] = nil
    }

    /// Lets time pass, for one of them too much.
    private mutating func wait() {
        guard dice.happens(oneIn: 4) else { return }
        encounter.now = encounter.now + .seconds(31)
        let now = encounter.now
        for end in Encounter.End.allCases { _ = encounter.machines[end]?.deadlinePassed(now: now) }
        encounter = Self.meet(&dice)
        isMeddled = true
    }

    private mutating func check() {
        for (end, machine) in encounter.machines {
            if machine.isPairing != (machine.nextDeadline != nil) {
                complaints.append("\(end): a deadline without pairing, or the other way round")
            }
            if !machine.isPairing, machine.key(diversifier: 0, random: 0) != nil {
                complaints.append("\(end): a key without pairing")
            }
            guard case .success(let keys)? = encounter.outcomes[end] else { continue }
            if keys.usesSecureConnections, keys.peerKey == nil || keys.localKey == nil {
                complaints.append("\(end): paired without keys")
            }
        }
        if !encounter.pairedInClear.isEmpty { complaints.append("paired without encryption") }
        compare()
    }

    /// Who was left in peace has the same keys; and outcomes are counted.
    private mutating func compare() {
        guard encounter.outcomes.count == 2 else { return }
        let keys = Encounter.End.allCases.compactMap { try? encounter.outcomes[$0]?.get() }
        if keys.count == 2 { pairings += 1 } else { failures += 1 }
        if keys.count == 2, !isMeddled, keys[0].peerKey != keys[1].localKey {
            complaints.append("paired with different keys")
        }
        encounter.outcomes = [:]
    }
}
