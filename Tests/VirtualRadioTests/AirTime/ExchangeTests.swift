// SPDX-License-Identifier: Apache-2.0
import Testing
import VirtualRadio

/// The published maximum rates of LE links, to the digits in which they are quoted.
@Suite struct ExchangeTests {
    private static let notification = 244
    private static let paces = [
        Exchange(.le1M), Exchange(.le1M, isEncrypted: true),
        Exchange(.le2M), Exchange(.le2M, isEncrypted: true),
    ]

    private func expect(_ bitRate: Double, isKilobits wanted: Double) {
        #expect(abs(bitRate / 1_000 - wanted) < 0.051, "\(bitRate) instead of \(wanted) kb/s")
    }

    @Test(
        "A full packet and its answer have the published duration and rate",
        arguments: [
            (Exchange(.le1M), 2_468, 790.9), (Exchange(.le1M, isEncrypted: true), 2_500, 780.8),
            (Exchange(.le2M), 1_392, 1_402.3), (Exchange(.le2M, isEncrypted: true), 1_408, 1_386.4),
            (Exchange(.codedS2), 5_240, 372.5),
            (Exchange(.codedS2, isEncrypted: true), 5_304, 368.0),
            (Exchange(.codedS8), 17_804, 109.6),
            (Exchange(.codedS8, isEncrypted: true), 18_060, 108.1),
        ]
    )
    func fullPacket(pace: Exchange, microseconds: Int, rate: Double) {
        let duration = pace.duration(payloadLength: 251)
        #expect(duration == .microseconds(microseconds))
        expect(duration.bitRate(bytes: Self.notification), isKilobits: rate)
    }

    @Test(
        "A connection event holds the published number of packets",
        arguments: [
            (7_500, [3, 3, 5, 5], [780.8, 780.8, 1_301.3, 1_301.3]),
            (11_250, [4, 4, 8, 7], [694.0, 694.0, 1_388.1, 1_214.6]),
            (15_000, [6, 6, 10, 10], [780.8, 780.8, 1_301.3, 1_301.3]),
            (30_000, [12, 12, 21, 21], [780.8, 780.8, 1_366.4, 1_366.4]),
            (50_000, [20, 20, 35, 35], [780.8, 780.8, 1_366.4, 1_366.4]),
            (100_000, [40, 40, 71, 71], [780.8, 780.8, 1_385.9, 1_385.9]),
            (400_000, [162, 160, 287, 284], [790.6, 780.8, 1_400.6, 1_385.9]),
        ]
    )
    func connectionEvent(microseconds: Int, counts: [Int], rates: [Double]) {
        let interval = Duration.microseconds(microseconds)
        for (pace, (count, rate)) in zip(Self.paces, zip(counts, rates)) {
            #expect(pace.count(within: interval, payloadLength: 251) == count)
            expect(interval.bitRate(bytes: count * Self.notification), isKilobits: rate)
        }
    }

    @Test("Encryption leaves no margin at the shortest interval")
    func shortestInterval() {
        let sealed = Exchange(.le1M, isEncrypted: true)
        let almost = Duration.microseconds(7_499)
        #expect(sealed.count(within: almost, payloadLength: 251) == 2)
        expect(
            Duration.microseconds(7_500).bitRate(bytes: 2 * Self.notification),
            isKilobits: 520.5
        )
    }

    @Test("Short packets have the published rates")
    func shortPackets() {
        let wanted = [
            (236.7, 11, 234.7), (226.0, 10, 213.3), (322.6, 15, 320.0), (312.5, 14, 298.7),
        ]
        let interval = Duration.microseconds(7_500)
        for (pace, (continuous, count, rate)) in zip(Self.paces, wanted) {
            expect(pace.duration(payloadLength: 27).bitRate(bytes: 20), isKilobits: continuous)
            #expect(pace.count(within: interval, payloadLength: 27) == count)
            expect(interval.bitRate(bytes: count * 20), isKilobits: rate)
        }
    }

    @Test("Simultaneous data in both directions shares the air time")
    func bothDirections() {
        for (pace, rate) in zip(Self.paces, [436.1, 430.0, 814.7, 804.0]) {
            let both = pace.duration(payloadLength: 251, answerLength: 251)
            expect(both.bitRate(bytes: Self.notification), isKilobits: rate)
        }
        let interval = Duration.milliseconds(30)
        #expect(Exchange(.le1M).count(within: interval, payloadLength: 251, answerLength: 251) == 6)
    }

    @Test(
        "The MTU decides the length of the last fragment",
        arguments: [
            (185, 726.5, 1_255.2), (244, 778.7, 1_381.1), (247, 780.8, 1_386.4),
            (256, 660.6, 1_095.2),
            (498, 792.0, 1_406.2), (512, 726.6, 1_243.0), (517, 728.6, 1_247.6),
        ]
    )
    func mtu(mtu: Int, on1M: Double, on2M: Double) {
        for (modulation, rate) in [(Modulation.le1M, on1M), (.le2M, on2M)] {
            let pace = Exchange(modulation, isEncrypted: true)
            let duration = pace.duration(frameLength: mtu + 4, payloadLimit: 251)
            expect(duration.bitRate(bytes: mtu - 3), isKilobits: rate)
        }
    }

    @Test("Credit-based channels carry no ATT header")
    func creditBasedChannels() {
        let rates = [(Modulation.le1M, 790.4), (.le2M, 1_403.4)]
        for (modulation, rate) in rates {
            let pace = Exchange(modulation, isEncrypted: true)
            expect(pace.duration(payloadLength: 251).bitRate(bytes: 247), isKilobits: rate)
        }
    }

    @Test(
        "A write with response takes two connection intervals",
        arguments: [(7_500, 130.1), (15_000, 65.1), (30_000, 32.5), (45_000, 21.7)]
    )
    func writeRequest(microseconds: Int, rate: Double) {
        let pace = Exchange(.le1M, isEncrypted: true)
        let interval = Duration.microseconds(microseconds)
        #expect(pace.count(within: interval, payloadLength: 251) >= 1)
        expect((interval * 2).bitRate(bytes: Self.notification), isKilobits: rate)
    }

    @Test("A shorter frame space lets more packets pass")
    func frameSpace() {
        let short = Exchange(.le2M, frameSpace: .microseconds(52))
        #expect(short.duration(payloadLength: 251) == .microseconds(1_196))
        #expect(short.count(within: .milliseconds(30), payloadLength: 251) == 25)
    }

    @Test("A frame of whole fragments has no remainder")
    func wholeFragments() {
        let pace = Exchange(.le1M)
        #expect(pace.duration(frameLength: 502, payloadLimit: 251) == .microseconds(2 * 2_468))
        #expect(
            pace.duration(frameLength: 503, payloadLimit: 251)
                == .microseconds(2 * 2_468 + 88 + 80 + 300)
        )
        #expect(pace.duration(frameLength: 0, payloadLimit: 251) == .zero)
    }
}
