// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import LanyardTesting
import Testing

@Suite("Random events of phones and accessories")
struct LifeTests {
    @Test(
        "Reported states are correct during random events, and all accessories recover",
        arguments: RunSeed.seeds(20)
    )
    func randomLife(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        let count = Int.random(in: 1...3, using: &generator)
        let limit = generator.happens(oneIn: 3) ? count : nil
        let life = Life(seed: seed, straps: count, limit: limit)
        try await life.live(for: .seconds(3600)) { [generator] in
            var generator = generator
            try await life.pairAll()
            for _ in 0..<12 {
                let fault = LifeFault.allCases.randomElement(using: &generator) ?? .nothing
                try await life.suffer(fault, using: &generator)
            }
            life.heal()
            // A link that has just failed is reported after the supervision timeout.
            try await life.world.advance(by: .seconds(6))
            try await life.expectAllReady(within: .seconds(120))
            try await life.check()
        }
    }
}
