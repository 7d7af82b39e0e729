// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothSMP

/// Two Security Managers with an attacker between them that drops, repeats, changes, truncates and
/// forges PDUs, while users answer without a question and controllers report wrong states.
@Suite("Random faults during pairing")
struct FuzzTests {
    /// The number of steps for each seed.
    static let stepCount = 25_000

    @Test(
        "Random faults never trap, and neither end pairs without encryption",
        arguments: RunSeed.seeds(8)
    )
    func fuzz(seed: UInt64) {
        var fuzzed = FuzzedPairing(generator: SplitMix64(seed: seed))
        for step in 0..<Self.stepCount {
            fuzzed.step()
            guard fuzzed.problems.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(fuzzed.problems)")
                return
            }
        }
        // Some pairings must succeed. Otherwise, the test would have no significance.
        #expect(fuzzed.pairings > 20, "seed \(seed)")
        #expect(fuzzed.failures > 200, "seed \(seed)")
    }
}
