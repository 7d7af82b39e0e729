// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import VirtualRadio

@Suite struct ReproducibleMathTests {
    @Test(
        "The natural logarithm is accurate",
        arguments: [
            (1, 0), (2, 0.693_147_180_559_945_3), (10, 2.302_585_092_994_046),
            (0.5, -0.693_147_180_559_945_3), (1e-300, -690.775_527_898_213_7),
            (1e300, 690.775_527_898_213_7), (1.414, 0.34642256747438094),
            (3, 1.098_612_288_668_109_8), (0.999, -0.001_000_500_333_583_533_5),
        ]
    )
    func logarithm(x: Double, wanted: Double) {
        let found = ReproducibleMath.naturalLogarithm(x)
        #expect(abs(found - wanted) <= 1e-15 * max(1, abs(wanted)))
    }

    @Test(
        "The exponential is accurate",
        arguments: [
            (0, 1), (1, 2.718_281_828_459_045), (-1, 0.367_879_441_171_442_33),
            (100, 2.688_117_141_816_135_6e43), (-100, 3.720_075_976_020_836e-44),
            (0.3, 1.349_858_807_576_003_2), (-700.5, 0), (-800, 0), (800, .infinity),
        ]
    )
    func exponential(x: Double, wanted: Double) {
        let found = ReproducibleMath.exponential(x)
        #expect(found == wanted || abs(found / wanted - 1) < 1e-13)
    }

    @Test("The logarithm of an invalid argument is negative infinity")
    func invalidArguments() {
        for x in [0, -1, .infinity, .nan] as [Double] {
            #expect(ReproducibleMath.naturalLogarithm(x) == -.infinity)
        }
        #expect(ReproducibleMath.exponential(.nan) == .infinity)
    }

    @Test("The logarithm and the exponential are inverse functions")
    func inverse() {
        for step in -400...400 {
            let x = Double(step) / 10
            #expect(
                abs(ReproducibleMath.naturalLogarithm(ReproducibleMath.exponential(x)) - x) < 1e-12
            )
        }
    }

    @Test("The logarithm and the exponential grow with their argument")
    func monotonicity() {
        for step in 1...10_000 {
            let x = Double(step) / 1_000
            #expect(
                ReproducibleMath.naturalLogarithm(x) < ReproducibleMath.naturalLogarithm(x + 1e-3)
            )
            #expect(ReproducibleMath.exponential(x) < ReproducibleMath.exponential(x + 1e-3))
        }
    }

    @Test(
        "Decibels become ratios",
        arguments: [(0, 1), (10, 10), (-30, 0.001), (3, 1.995_262_314_968_88)]
    )
    func decibels(decibels: Double, ratio: Double) {
        #expect(abs(ReproducibleMath.ratio(decibels: decibels) / ratio - 1) < 1e-13)
    }
}
