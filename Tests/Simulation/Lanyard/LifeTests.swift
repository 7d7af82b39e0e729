// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTestSupport
import LanyardTesting
import Testing

/// How many seeds a simulation runs with: few by default; `LANYARD_SEEDS=1000` for a night's work.
func seeds(_ usual: Int) -> Range<UInt64> {
    let wanted = ProcessInfo.processInfo.environment["LANYARD_SEEDS"].flatMap { Int($0) }
    return 0..<UInt64(wanted.map { max($0, 1) } ?? usual)
}

@Suite("Lives with accessories")
struct LifeTests {
    @Test(
        "Whatever happens, what is told is true, and all is well when it is over",
        arguments: seeds(20)
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
            // A link that died just now shows that when the supervision time-out is over.
            try await life.world.advance(by: .seconds(6))
            try await life.expectAllReady(within: .seconds(120))
            try await life.check()
        }
    }
}
