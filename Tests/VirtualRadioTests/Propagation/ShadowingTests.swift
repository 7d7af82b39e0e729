// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite struct ShadowingTests {
    private let seed = WorldSeed(7)

    private func pair(_ one: UInt64, _ other: UInt64) -> RadioPair {
        RadioPair(RadioID(one), RadioID(other))
    }

    private func second(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    private func deviation(_ values: [Double]) -> Double {
        (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
    }

    @Test("A pair has the same shadowing in both directions and at all times")
    func symmetry() {
        let shadowing = Shadowing(deviation: 6)
        let gain = shadowing.gain(of: pair(1, 2), at: .zero, seed: seed)
        #expect(gain == shadowing.gain(of: pair(2, 1), at: second(3_600), seed: seed))
        #expect(gain != shadowing.gain(of: pair(1, 3), at: .zero, seed: seed))
        #expect(gain != shadowing.gain(of: pair(1, 2), at: .zero, seed: WorldSeed(8)))
        #expect(gain != 0)
    }

    @Test("Shadowing without a deviation has no gain")
    func noDeviation() {
        #expect(Shadowing.none.gain(of: pair(1, 2), at: .zero, seed: seed) == 0)
    }

    @Test("The gains of all pairs have the given deviation")
    func deviationOfPairs() {
        let shadowing = Shadowing(deviation: 6)
        let gains = (0..<20_000 as Range<UInt64>).map {
            shadowing.gain(of: pair($0, $0 + 1), at: .zero, seed: seed)
        }
        #expect(abs(deviation(gains) - 6) < 0.1)
        #expect(abs(gains.reduce(0, +) / 20_000) < 0.15)
    }

    @Test(
        "Changing shadowing has the given deviation at every instant",
        arguments: [0, 0.25, 0.5, 0.9]
    )
    func deviationOverTime(phase: Double) {
        let shadowing = Shadowing(deviation: 4, period: .seconds(10))
        let gains = (0..<20_000).map {
            shadowing.gain(of: pair(1, 2), at: second((Double($0) + phase) * 10), seed: seed)
        }
        #expect(abs(deviation(gains) - 4) < 0.1)
    }

    @Test("Changing shadowing has no jumps")
    func slowChange() {
        let shadowing = Shadowing(deviation: 4, period: .seconds(10))
        var last = shadowing.gain(of: pair(1, 2), at: .zero, seed: seed)
        for step in 1...10_000 {
            let gain = shadowing.gain(of: pair(1, 2), at: second(Double(step) / 100), seed: seed)
            #expect(abs(gain - last) < 0.1)
            last = gain
        }
        #expect(last != shadowing.gain(of: pair(1, 2), at: .zero, seed: seed))
    }
}
