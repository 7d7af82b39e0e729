// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualRadio

@Suite("Channel hopping")
struct ChannelHoppingTests {
    /// The access address of the specification's sample data.
    private let sample = ChannelSelection2(accessAddress: 0x8E89_BED6)

    @Test("The channel identifier uses both halves of the access address")
    func identifier() {
        #expect(sample.identifier == 0x305F)
    }

    @Test(
        "Vol 6, Part C, 3.1: The sample data with all channels matches",
        arguments: [
            (UInt16(0), UInt16(56_857), 25), (1, 1_685, 20), (2, 38_301, 6), (3, 27_475, 21),
        ]
    )
    func allChannels(event: UInt16, number: UInt16, channel: Int) {
        #expect(sample.pseudoRandomNumber(event) == number)
        #expect(sample.channel(event, .all) == channel)
    }

    @Test(
        "Vol 6, Part C, 3.2: The sample data with nine channels matches",
        arguments: [
            (UInt16(6), UInt16(10_975), 23), (7, 5_490, 9), (8, 46_970, 34),
        ]
    )
    func nineChannels(event: UInt16, number: UInt16, channel: Int) {
        let used = [9, 10, 21, 22, 23, 33, 34, 35, 36]
        let map = ChannelMap(rawValue: used.reduce(0) { $0 | 1 << UInt64($1) })
        #expect(sample.pseudoRandomNumber(event) == number)
        #expect(sample.channel(event, map) == channel)
    }

    @Test("Algorithm #1 advances by its increment")
    func firstAlgorithm() {
        var hopping = ChannelHopping(hopIncrement: 7)
        let channels = (0..<8).map { hopping.next($0, .all) }
        #expect(channels == [7, 14, 21, 28, 35, 5, 12, 19])
    }

    @Test("Algorithm #1 advances from the channel before remapping")
    func firstAlgorithmRemaps() {
        var hopping = ChannelHopping(hopIncrement: 7)
        let map = ChannelMap(rawValue: 0b111)  // 14 mod 3 = 2, 21 mod 3 = 0
        let channels = (0..<4).map { hopping.next($0, map) }
        #expect(channels == [1, 2, 0, 1])
    }

    @Test("With any map, only its channels are used", arguments: RunSeed.seeds(50))
    func onlyUsedChannels(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let map = ChannelMap(rawValue: random.next() & random.next())
        let selection = ChannelSelection2(accessAddress: UInt32(truncatingIfNeeded: random.next()))
        var hopping = ChannelHopping(hopIncrement: 5 + Int(seed % 12))
        for event in UInt16(0)..<500 {
            #expect(map.contains(selection.channel(event, map)))
            #expect(map.contains(hopping.next(event, map)))
        }
    }

    @Test(
        "A map of fewer than two channels is replaced by all channels",
        arguments: [0, 1, 1 << 36, 1 << 40] as [UInt64]
    )
    func emptyMap(bits: UInt64) {
        #expect(ChannelMap(rawValue: bits) == .all)
    }
}
