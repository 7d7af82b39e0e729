// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import VirtualRadio

@Suite struct ReceptionTests {
    private let receiver = Reception()

    @Test(
        "A receiver at its sensitivity has the specified packet error rate",
        arguments: Modulation.allCases
    )
    func packetErrorRate(modulation: Modulation) {
        let probability = receiver.probability(
            power: receiver.sensitivity(modulation),
            pduLength: 39,
            modulation: modulation
        )
        #expect(abs(1 - probability - 0.308) < 0.0005)
    }

    @Test("The bit error rate at the sensitivity is the reference rate")
    func bitErrorRate() {
        #expect(abs(Reception.errorRate(margin: 0) - 0.001) < 1e-15)
        #expect(abs(Reception.errorRate(margin: -100) - 0.5) < 1e-9)
        #expect(Reception.errorRate(margin: 100) == 0)
    }

    @Test("The reception probability grows with power and falls with length")
    func powerAndLength() {
        var last = -1.0
        for step in -100...(-80) {
            let power = Double(step)
            let long = receiver.probability(power: power, pduLength: 257, modulation: .le1M)
            let short = receiver.probability(power: power, pduLength: 2, modulation: .le1M)
            #expect(long >= last && long <= short)
            #expect((0...1).contains(long) && (0...1).contains(short))
            last = long
        }
    }

    @Test("The reception probability falls steeply at the sensitivity")
    func steepEdge() {
        let below = receiver.probability(power: -98, pduLength: 39, modulation: .le1M)
        let above = receiver.probability(power: -92, pduLength: 39, modulation: .le1M)
        #expect(below < 0.01)
        #expect(above > 0.999)
        #expect(receiver.probability(power: -40, pduLength: 257, modulation: .le1M) == 1)
    }

    @Test("At the same power, LE Coded is received most often and LE 2M least often")
    func modulationRange() {
        let powers = Modulation.allCases.map {
            receiver.probability(power: -97, pduLength: 39, modulation: $0)
        }
        let (le1M, le2M, codedS2, codedS8) = (powers[0], powers[1], powers[2], powers[3])
        #expect(le2M < le1M && le1M < codedS2 && codedS2 < codedS8)
    }

    @Test(
        "The reported strength is in whole decibels within its bounds",
        arguments: [
            (-40.4, -40), (-40.5, -41), (-40.6, -41), (0, 0), (-126.9, -127), (-300, -127),
            (19.6, 20),
            (99, 20), (.infinity, 20), (-.infinity, -127), (.nan, 127),
        ] as [(Double, Int8)]
    )
    func reportedStrength(power: Double, report: Int8) {
        #expect(ReceivedSignal.report(power) == report)
    }
}
