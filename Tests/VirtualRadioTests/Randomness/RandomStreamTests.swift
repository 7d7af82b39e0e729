// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite struct RandomStreamTests {
    @Test("SplitMix64 gives its published sequence")
    func splitMix64() {
        var generator = SplitMix64(seed: 1_234_567)
        #expect(generator.next() == 6_457_827_717_110_365_317)
        #expect(generator.next() == 3_203_168_211_198_807_973)
        #expect(generator.next() == 9_817_491_932_198_370_423)
        #expect(generator.next() == 4_593_380_528_125_082_431)
        #expect(generator.next() == 16_408_922_859_458_223_821)
    }

    @Test("The stream gives the published sequence of its generator")
    func publishedSequence() {
        var stream = RandomStream(state: (1, 2, 3, 4))
        let wanted: [UInt64] = [
            11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240, 1_216_172_134_540_287_360,
            607_988_272_756_665_600, 16_172_922_978_634_559_625, 8_476_171_486_693_032_832,
        ]
        #expect(wanted.indices.map { _ in stream.next() } == wanted)
    }

    @Test("A stream depends on the seed, the name and each number")
    func streamIdentity() {
        var streams = [
            WorldSeed(1).stream("loss"), WorldSeed(2).stream("loss"), WorldSeed(1).stream("noise"),
            WorldSeed(1).stream("loss", 0), WorldSeed(1).stream("loss", 1),
            WorldSeed(1).stream("loss", 0, 1), WorldSeed(1).stream("loss", 1, 0),
        ]
        let firsts = Set(streams.indices.map { streams[$0].next() })
        #expect(firsts.count == streams.count)
    }

    @Test("A stream does not depend on the use of other streams")
    func independence() {
        let seed = WorldSeed(42)
        var alone = seed.stream("shadowing", 3, 8)
        var other = seed.stream("loss", 3)
        for _ in 0..<1_000 { _ = other.next() }
        var beside = seed.stream("shadowing", 3, 8)
        #expect((0..<100).allSatisfy { _ in alone.next() == beside.next() })
    }

    @Test("A seed gives the same stream in every version")
    func stableSeed() {
        var stream = WorldSeed(7).stream("shadowing", 1, 2)
        #expect(stream.next() == 1_199_909_164_020_012_052)
        #expect(WorldSeed(7).description == "7")
    }

    @Test("The digest of a name is FNV-1a")
    func nameDigest() {
        #expect(WorldSeed.digest("".utf8) == 0xCBF2_9CE4_8422_2325)
        #expect(WorldSeed.digest("a".utf8) == 0xAF63_DC4C_8601_EC8C)
        #expect(WorldSeed.digest("foobar".utf8) == 0x8594_4171_F739_67E8)
    }
}
