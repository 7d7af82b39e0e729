// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// Random wishes, events, refusals, silences and resets, against a strict controller: every order is
/// legal, every set ends once, and in the end exactly what is wanted is on the air.
@Suite("Advertising at random")
struct RandomisedAdvertising {
    @Test("of an honest controller asks nothing illegal", arguments: 1...40 as ClosedRange<UInt64>)
    func honest(seed: UInt64) throws {
        try run(seed: seed, isHonest: true)
    }

    @Test("ends in exactly what is wanted", arguments: 1...40 as ClosedRange<UInt64>)
    func converges(seed: UInt64) throws {
        try run(seed: seed, isHonest: false)
    }

    private func run(seed: UInt64, isHonest: Bool) throws {
        var random = SplitMix64(seed: seed)
        let isExtended = seed % 4 != 0
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended, sets: 4))
        bench.isStrict = isHonest
        var wanted: [UInt64: Advertising] = [:]
        for step in 1...200 as ClosedRange<UInt64> {
            bench.answersAtOnce = Int.random(in: 0..<3, using: &random) > 0
            try wish(step, &wanted, &bench, isExtended, &random)
            try happen(&bench, isHonest, &random)
            for id in bench.ends.keys { wanted[id] = nil }
        }
        bench.planned = []
        bench.answersAtOnce = true
        while bench.outstanding != nil { try bench.answer() }
        try bench.advance(by: .seconds(60))
        for id in bench.ends.keys { wanted[id] = nil }
        let onAir = bench.model.onAir.map(\.data).sorted { $0.lexicographicallyPrecedes($1) }
        let asked = wanted.values.map(\.rawData).sorted { $0.lexicographicallyPrecedes($1) }
        #expect(onAir == asked, "seed \(seed)")
        #expect(bench.advertiser.sets.count == wanted.count)
        #expect(wanted.keys.allSatisfy { bench.inForce[$0]?.isEmpty == false })
        for id in wanted.keys { try bench.remove(id) }
        #expect(bench.model.onAir.isEmpty)
        #expect(bench.advertiser.nextDeadline == nil)
    }

    private func wish(
        _ step: UInt64,
        _ wanted: inout [UInt64: Advertising],
        _ bench: inout AdvertiserBench,
        _ isExtended: Bool,
        _ random: inout SplitMix64
    ) throws {
        let advertising = Self.advertising(step, isExtended, &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            wanted[step] = advertising
            try bench.add(step, advertising)
        case 2:
            guard let id = wanted.keys.sorted().randomElement(using: &random) else { return }
            wanted[id] = advertising
            try bench.update(id, advertising)
        case 3:
            guard let id = wanted.keys.sorted().randomElement(using: &random) else { return }
            wanted[id] = nil
            try bench.remove(id)
        default: break
        }
    }

    private static func advertising(
        _ step: UInt64,
        _ isExtended: Bool,
        _ random: inout SplitMix64
    ) -> Advertising {
        var bytes: [UInt8] = [3, 0xFF, UInt8(step & 0xFF), UInt8(step >> 8)]
        if isExtended, Int.random(in: 0..<3, using: &random) == 0 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes += [199, 0xFF] + [UInt8](repeating: 7, count: 198)
            }
            return Advertising(rawAdvertisingData: bytes, kind: .nonConnectable, form: .extended)
        }
        let kinds: [Advertising.Kind] = [.connectable, .scannable, .nonConnectable]
        let kind = kinds[Int.random(in: 0..<3, using: &random)]
        return Advertising(rawAdvertisingData: bytes, kind: kind)
    }

    /// Something that no caller asked for.
    private func happen(
        _ bench: inout AdvertiserBench,
        _ isHonest: Bool,
        _ random: inout SplitMix64
    ) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            try bench.reset()
            try bench.configure()
        case 1, 2: if !isHonest { lie(&bench, &random) }
        case 3:
            let open = bench.model.sets.filter {
                $0.value.isOn && $0.value.parameters?.isConnectable == true
            }
            guard let handle = open.keys.sorted().first else { return }
            try bench.connect(through: handle, tellsSet: Bool.random(using: &random))
        case 4: try bench.advance(by: .milliseconds(Int.random(in: 1...3000, using: &random)))
        case 5: try bench.linkCloses()
        default: if bench.outstanding != nil { try bench.answer() }
        }
    }
}

extension RandomisedAdvertising {
    /// The controller will be silent, or refuse without reason.
    private func lie(_ bench: inout AdvertiserBench, _ random: inout SplitMix64) {
        guard Bool.random(using: &random) else { return bench.plan(.timedOut) { _ in true } }
        let codes: [HCI.ErrorCode] = [
            .commandDisallowed, .connectionLimitExceeded, .unknownAdvertisingIdentifier,
        ]
        bench.refuse(codes[Int.random(in: 0..<3, using: &random)]) { $0.isEnable }
    }
}

extension Advertising {
    fileprivate var rawData: [UInt8] {
        if case .raw(let data, _) = content { data } else { [] }
    }
}
