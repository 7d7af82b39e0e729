// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// Random requests, events, refusals, missing answers and resets with a model of a controller.
/// Every order is legal, every set ends once and only when it is off the air, and at the end
/// exactly the wanted sets are on the air.
@Suite("Random advertising")
struct RandomisedAdvertising {
    @Test(
        "An honest controller gets only legal orders",
        arguments: [20_000_438, 962_026_750, 962_026_786] + RunSeed.seeds(40)
    )
    func honest(seed: UInt64) throws {
        try run(seed: seed, isHonest: true)
    }

    @Test(
        "Exactly the wanted sets are on the air after random failures",
        arguments: [1022, 1073, 1095, 1140, 1229, 1292, 634_530_589] + RunSeed.seeds(40)
    )
    func converges(seed: UInt64) throws {
        try run(seed: seed, isHonest: false)
    }

    private func run(seed: UInt64, isHonest: Bool) throws {
        var random = SplitMix64(seed: seed)
        let isExtended = seed % 4 != 0
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended, sets: 4))
        bench.isStrict = isHonest
        var wanted: [UInt64: Advertising] = [:]
        var history: [UInt64: Set<[UInt8]>] = [:]
        for step in 1...200 as ClosedRange<UInt64> {
            bench.answersAtOnce = Int.random(in: 0..<3, using: &random) > 0
            try request(step, &wanted, &bench, isExtended, &random)
            for (id, advertising) in wanted { history[id, default: []].insert(advertising.rawData) }
            try happen(&bench, isHonest, &random)
            for id in bench.ends.keys { wanted[id] = nil }
            let ended = bench.ends.keys.reduce(into: Set()) { $0.formUnion(history[$1] ?? []) }
            let lingering = bench.model.onAir.map(\.data).filter(ended.contains)
            #expect(lingering.isEmpty, "seed \(seed): on the air after its end was reported")
        }
        bench.planned = []
        bench.answersAtOnce = true
        while bench.outstanding != nil { try bench.answer() }
        try bench.advance(by: .seconds(60))
        for id in bench.ends.keys { wanted[id] = nil }
        let onAir = bench.model.onAir.map(\.data).sorted { $0.lexicographicallyPrecedes($1) }
        let asked = wanted.values.map(\.rawData).sorted { $0.lexicographicallyPrecedes($1) }
        #expect(onAir == asked, "seed \(seed)")
        #expect(bench.advertiser.sets.count == wanted.count, "seed \(seed)")
        #expect(wanted.keys.allSatisfy { bench.inForce[$0]?.isEmpty == false }, "seed \(seed)")
        for id in wanted.keys { try bench.remove(id) }
        #expect(bench.model.onAir.isEmpty, "seed \(seed)")
        #expect(bench.advertiser.nextDeadline == nil, "seed \(seed)")
    }

    private func request(
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

    /// An event that no caller requested, or the answer to the outstanding order.
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
    /// Plans a missing answer or a refusal without a reason.
    private func lie(_ bench: inout AdvertiserBench, _ random: inout SplitMix64) {
        guard Bool.random(using: &random) else {
            let isCarriedOut = Bool.random(using: &random)
            return bench.plan(.timedOut, isCarriedOut: isCarriedOut) { _ in true }
        }
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
