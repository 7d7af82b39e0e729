// SPDX-License-Identifier: Apache-2.0
import Testing
import VirtualRadio

@Suite struct PathLossTests {
    @Test(
        "The path loss follows the logarithm of the distance",
        arguments: [
            (PathLoss.freeSpace, 1.0, 40.2), (.freeSpace, 10, 60.2), (.freeSpace, 100, 80.2),
            (.indoors, 10, 67.2), (.obstructed, 10, 75.2),
            (PathLoss(reference: 50, exponent: 3), 2, 59.031),
        ]
    )
    func logarithm(model: PathLoss, meters: Double, loss: Double) {
        #expect(abs(model.decibels(distance: meters) - loss) < 0.001)
    }

    @Test("In free space, each doubling of the distance adds six decibels of loss")
    func doubledDistance() {
        for power in 0..<10 {
            let near = PathLoss.freeSpace.decibels(distance: Double(1 << power))
            let far = PathLoss.freeSpace.decibels(distance: Double(2 << power))
            #expect(abs(far - near - 6.0206) < 0.0001)
        }
    }

    @Test("The path loss grows with the distance")
    func monotonicLoss() {
        for step in 1..<1_000 {
            let near = PathLoss.indoors.decibels(distance: Double(step) / 10)
            #expect(PathLoss.indoors.decibels(distance: Double(step + 1) / 10) > near)
        }
    }

    @Test(
        "A signal is never received with more power than was sent",
        arguments: [PathLoss.freeSpace, .indoors, .obstructed, PathLoss(reference: 0, exponent: 9)]
    )
    func noGain(model: PathLoss) {
        for meters in [0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.5, 1] {
            #expect(model.decibels(distance: meters) >= 0, "\(meters) m")
        }
        #expect(PathLoss.indoors.decibels(distance: 0) == 0)
    }

    @Test("The distance has a minimum")
    func minimumDistance() {
        let closest = PathLoss.freeSpace.decibels(distance: PathLoss.distanceMinimum)
        #expect(PathLoss.freeSpace.decibels(distance: 0) == closest)
        #expect(closest.isFinite)
    }
}
