// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Random privacy")
struct RandomizedPrivacyTests {
    @Test(
        "All address commands are legal, and all requested activities resume",
        arguments: RunSeed.seeds(60)
    )
    func anything(seed: UInt64) throws {
        let isExtended = seed.isMultiple(of: 2)
        var harness = try PrivacyHarness(
            .resolving(isExtended: isExtended, limit: Int(seed % 5)),
            rotation: seed.isMultiple(of: 3) ? nil : .seconds(7),
            seed: seed
        )
        var generator = SplitMix64(seed: seed ^ 0xABCD)
        var requests: Set<UInt64> = []
        var sets: Set<UInt64> = []
        var scans = false
        for step in 1...200 as ClosedRange<UInt64> {
            switch generator.next() % 10 {
            case 0:
                scans = true
                try harness.scan(ScanParameters())
            case 1:
                scans = false
                try harness.scan(nil)
            case 2 where requests.count < 3:
                requests.insert(step)
                try harness.addPendingRequest(step, .accessory(step))
            case 3:
                if let id = requests.popFirst() { try harness.cancel(id) }
            case 4 where sets.count < (isExtended ? 3 : 1):
                sets.insert(step)
                try harness.advertise(step)
            case 5:
                if let id = sets.popFirst() { try harness.stopAdvertising(id) }
            case 6:
                let count = Int(generator.next() % 6)
                try harness.request((0..<count).map { _ in Int(1 + generator.next() % 8) }.uniqued)
            case 7 where generator.next() % 8 == 0:
                harness.answersAtOnce = true
                try harness.reset()
                try harness.start()
            case 8:
                harness.answersAtOnce.toggle()
            default: try harness.advance(by: .milliseconds(Int64(generator.next() % 4_000)))
            }
            if !harness.queue.isEmpty { try harness.answer() }
        }
        harness.answersAtOnce = true
        while !harness.queue.isEmpty { try harness.answer() }
        try harness.advance(by: .seconds(130))
        #expect(harness.violations.isEmpty, "seed \(seed)")
        #expect(harness.radio.isScanning == scans, "seed \(seed)")
        #expect((harness.radio.initiation != nil) == !requests.isEmpty, "seed \(seed)")
        #expect(harness.sets.onAir.count == sets.count, "seed \(seed)")
        #expect(harness.shown.allSatisfy(harness.isOurs) || seed.isMultiple(of: 3), "seed \(seed)")
    }
}

extension [Int] {
    fileprivate var uniqued: [Int] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
