// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// Random requests, events, refusals, missing answers and resets with a model of a controller.
/// Every operation is legal if the controller is correct, every set ends once and only when it is
/// off the air, and at the end, exactly the requested sets are on the air.
@Suite("Random advertising")
struct RandomizedAdvertisingTests {
    @Test(
        "A correct controller gets only legal operations",
        arguments: [20_000_438, 962_026_750, 962_026_786] + RunSeed.seeds(40)
    )
    func correctController(seed: UInt64) throws {
        try run(seed: seed, isCorrect: true)
    }

    @Test(
        "Exactly the requested sets are on the air after random failures",
        arguments: [1022, 1073, 1095, 1140, 1229, 1292, 634_530_589] + RunSeed.seeds(40)
    )
    func converges(seed: UInt64) throws {
        try run(seed: seed, isCorrect: false)
    }

    private func run(seed: UInt64, isCorrect: Bool) throws {
        var random = SplitMix64(seed: seed)
        let isExtended = seed % 4 != 0
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended, sets: 4))
        harness.isStrict = isCorrect
        var wanted: [UInt64: Advertising] = [:]
        var history: [UInt64: Set<[UInt8]>] = [:]
        for step in 1...200 as ClosedRange<UInt64> {
            harness.answersAtOnce = Int.random(in: 0..<3, using: &random) > 0
            try request(step, &wanted, &harness, isExtended, &random)
            for (id, advertising) in wanted { history[id, default: []].insert(advertising.rawData) }
            try happen(&harness, isCorrect, &random)
            for id in harness.ends.keys { wanted[id] = nil }
            let ended = harness.ends.keys.reduce(into: Set()) { $0.formUnion(history[$1] ?? []) }
            let lingering = harness.model.onAir.map(\.data).filter(ended.contains)
            #expect(
                lingering.isEmpty,
                "Seed \(seed): a set is advertising after its end was reported"
            )
        }
        harness.planned = []
        harness.answersAtOnce = true
        while harness.outstanding != nil { try harness.answer() }
        try harness.advance(by: .seconds(60))
        for id in harness.ends.keys { wanted[id] = nil }
        let onAir = harness.model.onAir.map(\.data).sorted { $0.lexicographicallyPrecedes($1) }
        let asked = wanted.values.map(\.rawData).sorted { $0.lexicographicallyPrecedes($1) }
        #expect(onAir == asked, "seed \(seed)")
        #expect(harness.advertiser.sets.count == wanted.count, "seed \(seed)")
        #expect(wanted.keys.allSatisfy { harness.inForce[$0]?.isEmpty == false }, "seed \(seed)")
        for id in wanted.keys { try harness.remove(id) }
        #expect(harness.model.onAir.isEmpty, "seed \(seed)")
        #expect(harness.advertiser.nextDeadline == nil, "seed \(seed)")
    }

    private func request(
        _ step: UInt64,
        _ wanted: inout [UInt64: Advertising],
        _ harness: inout AdvertiserHarness,
        _ isExtended: Bool,
        _ random: inout SplitMix64
    ) throws {
        let advertising = Self.advertising(step, isExtended, &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            wanted[step] = advertising
            try harness.add(step, advertising)
        case 2:
            guard let id = wanted.keys.sorted().randomElement(using: &random) else { return }
            wanted[id] = advertising
            try harness.update(id, advertising)
        case 3:
            guard let id = wanted.keys.sorted().randomElement(using: &random) else { return }
            wanted[id] = nil
            try harness.remove(id)
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

    /// Causes an event that no caller requested, or answers the outstanding operation.
    private func happen(
        _ harness: inout AdvertiserHarness,
        _ isCorrect: Bool,
        _ random: inout SplitMix64
    ) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            try harness.reset()
            try harness.configure()
        case 1, 2: if !isCorrect { planFailure(&harness, &random) }
        case 3:
            let open = harness.model.sets.filter {
                $0.value.isOn && $0.value.parameters?.isConnectable == true
            }
            guard let handle = open.keys.sorted().first else { return }
            try harness.connect(through: handle, reportsSet: Bool.random(using: &random))
        case 4: try harness.advance(by: .milliseconds(Int.random(in: 1...3000, using: &random)))
        case 5: try harness.linkCloses()
        default: if harness.outstanding != nil { try harness.answer() }
        }
    }
}

extension RandomizedAdvertisingTests {
    /// Plans a missing answer or a refusal without a reason.
    private func planFailure(_ harness: inout AdvertiserHarness, _ random: inout SplitMix64) {
        guard Bool.random(using: &random) else {
            let isCarriedOut = Bool.random(using: &random)
            return harness.plan(.timedOut, isCarriedOut: isCarriedOut) { _ in true }
        }
        let codes: [HCI.ErrorCode] = [
            .commandDisallowed, .connectionLimitExceeded, .unknownAdvertisingIdentifier,
        ]
        harness.refuse(codes[Int.random(in: 0..<3, using: &random)]) { $0.isEnable }
    }
}

extension Advertising {
    fileprivate var rawData: [UInt8] {
        if case .raw(let data, _) = content { data } else { [] }
    }
}
