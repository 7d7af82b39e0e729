// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothSMP

/// Two machines with an attacker between them that drops, repeats, changes, truncates and forges
/// PDUs, while users answer without a question and controllers report wrong states.
@Suite("Random faults during pairing")
struct FuzzTests {
    /// The number of steps for each seed.
    static let stepCount = 25_000

    @Test(
        "Nothing traps, and no end is paired without all steps",
        arguments: RunSeed.seeds(8)
    )
    func fuzz(seed: UInt64) {
        var storm = Storm(dice: SplitMix64(seed: seed))
        for step in 0..<Self.stepCount {
            storm.step()
            guard storm.complaints.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(storm.complaints)")
                return
            }
        }
        // Some pairings succeed. Otherwise the test would have no significance.
        #expect(storm.pairings > 20, "seed \(seed)")
        #expect(storm.failures > 200, "seed \(seed)")
    }
}
