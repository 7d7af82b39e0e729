// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite struct DrawsTests {
    private static let drawCount = 100_000

    private func draws<Value>(
        seed: UInt64,
        _ draw: (inout RandomStream) -> Value
    ) -> [Value] {
        var stream = RandomStream(seed: seed)
        return (0..<Self.drawCount).map { _ in draw(&stream) }
    }

    private func mean(_ values: [Double]) -> Double {
        values.reduce(0, +) / Double(values.count)
    }

    @Test("Uniform draws fill the unit interval evenly", arguments: [1, 2, 3] as [UInt64])
    func uniform(seed: UInt64) {
        let values = draws(seed: seed) { $0.uniform() }
        #expect(values.allSatisfy { (0..<1).contains($0) })
        #expect(abs(mean(values) - 0.5) < 0.005)
        for tenth in 0..<10 {
            let share = values.count { Int($0 * 10) == tenth }
            #expect(abs(share - 10_000) < 500)
        }
    }

    @Test(
        "Bounded draws stay below their bound",
        arguments: [1, 2, 3, 6, 37, 1 << 63 + 1] as [UInt64]
    )
    func bounded(bound: UInt64) {
        let values = draws(seed: 5) { $0.uniform(below: bound) }
        #expect(values.allSatisfy { $0 < bound })
        let ratios = values.map { Double($0) / Double(bound) }
        #expect(abs(mean(ratios) - Double(bound - 1) / Double(bound) / 2) < 0.005)
    }

    @Test("Bounded draws of six values are equally frequent")
    func die() {
        let values = draws(seed: 6) { $0.uniform(below: 6) }
        for side in 0..<6 as Range<UInt64> {
            #expect(abs(values.count { $0 == side } - Self.drawCount / 6) < 500)
        }
    }

    @Test("Bernoulli draws have the given probability", arguments: [0, 0.001, 0.1, 0.5, 0.9, 1])
    func bernoulli(probability: Double) {
        let share = draws(seed: 8) { $0.bernoulli(probability) }.count { $0 }
        #expect(abs(Double(share) / Double(Self.drawCount) - probability) < 0.006)
    }

    @Test("A draw whose result does not depend on chance also consumes a random number")
    func certainty() {
        var certain = RandomStream(seed: 1)
        var plain = RandomStream(seed: 1)
        for probability in [-1, 0, 1, 2] {
            #expect(certain.bernoulli(Double(probability)) == (probability > 0))
            _ = plain.next()
        }
        #expect(certain.next() == plain.next())
    }

    @Test(
        "Gaussian draws have the moments of the normal distribution",
        arguments: [1, 2, 3] as [UInt64]
    )
    func gaussianMoments(seed: UInt64) {
        let values = draws(seed: seed) { $0.gaussian() }
        #expect(abs(mean(values)) < 0.015)
        #expect(abs(mean(values.map { $0 * $0 }) - 1) < 0.02)
        #expect(abs(mean(values.map { $0 * $0 * $0 })) < 0.05)
        #expect(abs(mean(values.map { $0 * $0 * $0 * $0 }) - 3) < 0.15)
        let within = Double(values.count { abs($0) < 1 }) / Double(Self.drawCount)
        #expect(abs(within - 0.6827) < 0.006)
    }

    /// The digest was computed by a program in another language from the same definitions.
    @Test("Gaussian draws have the same last bit on every platform")
    func gaussianBits() {
        var stream = RandomStream(seed: 1)
        let bits = (0..<1_000).reduce(0 as UInt64) { sum, _ in
            SplitMix64.mix(sum ^ stream.gaussian().bitPattern)
        }
        #expect(bits == 5_650_083_751_782_943_569)
    }
}
