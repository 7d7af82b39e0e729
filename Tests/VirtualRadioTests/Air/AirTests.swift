// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualRadio

private func dBm(_ decibels: Double) -> ReceivedPower { ReceivedPower(decibels: decibels) }

@Suite struct AirTests {
    private let near = RadioID(1)
    private let far = RadioID(2)
    private let third = RadioID(3)
    private let channel = RadioChannel.primaryAdvertising[0]

    private func packet(
        _ sender: RadioID,
        at microseconds: Int,
        lasting length: Int = 376,
        on channel: RadioChannel? = nil
    ) -> Transmission {
        Transmission(
            from: sender,
            on: channel ?? self.channel,
            start: .zero + .microseconds(microseconds),
            airTime: .microseconds(length)
        )
    }

    private func air(_ packets: Transmission...) -> Air {
        var air = Air()
        for packet in packets { air.begin(packet) }
        return air
    }

    private func powers(_ radio: RadioID) -> ReceivedPower? {
        [near: -50, far: -70, third: -73][radio].map(ReceivedPower.init)
    }

    @Test("A packet without an interferer is received")
    func alone() {
        let only = packet(near, at: 0)
        #expect(!air(only).destroys(only, power: dBm(-90), powerOf: powers))
        #expect(air(only).overlapping(only).isEmpty)
    }

    @Test(
        "Two overlapping packets of similar strength destroy each other",
        arguments: [-375, -1, 0, 1, 375]
    )
    func similarStrength(offset: Int) {
        let (one, other) = (packet(far, at: 1_000), packet(third, at: 1_000 + offset))
        let air = air(one, other)
        #expect(air.destroys(one, power: dBm(-70), powerOf: powers))
        #expect(air.destroys(other, power: dBm(-73), powerOf: powers))
    }

    @Test("An interferer with enough power reduction does not destroy a packet")
    func powerReduction() {
        let wanted = packet(far, at: 1_000)
        for (reduction, isLost) in [(0, true), (27, true), (29, false)] as [(Int16, Bool)] {
            let interferer = Transmission(
                from: near,
                on: channel,
                start: wanted.start,
                airTime: .microseconds(376),
                reduction: reduction
            )
            #expect(
                air(wanted, interferer).destroys(wanted, power: dBm(-70), powerOf: powers) == isLost
            )
        }
    }

    @Test("Packets in sequence do not overlap", arguments: [-376, 376, -500, 5_000])
    func sequence(offset: Int) {
        let (one, other) = (packet(far, at: 1_000), packet(third, at: 1_000 + offset))
        let air = air(one, other)
        #expect(!air.destroys(one, power: dBm(-70), powerOf: powers))
        #expect(!air.destroys(other, power: dBm(-73), powerOf: powers))
    }

    @Test("The stronger packet captures the receiver")
    func capture() {
        let (strong, weak) = (packet(near, at: 0), packet(far, at: 100))
        let air = air(strong, weak)
        #expect(!air.destroys(strong, power: dBm(-50), powerOf: powers))
        #expect(air.destroys(weak, power: dBm(-70), powerOf: powers))
    }

    @Test(
        "Capture begins at the threshold",
        arguments: [(-62.0, false), (-61.9, false), (-62.1, true)]
    )
    func captureThreshold(power: Double, isLost: Bool) {
        let (wanted, interferer) = (packet(near, at: 0), packet(far, at: 0))
        var air = air(wanted, interferer)
        air.captureThreshold = 8 - 1e-9
        #expect(air.destroys(wanted, power: dBm(power), powerOf: powers) == isLost)
    }

    @Test("The powers of simultaneous interferers add up")
    func simultaneousInterferers() {
        let wanted = packet(near, at: 0)
        let interferers = (10..<20 as Range<UInt64>).map { packet(RadioID($0), at: 5) }
        var air = air(wanted)
        air.begin(interferers[0])
        #expect(!air.destroys(wanted, power: dBm(-50)) { _ in dBm(-60) })
        for interferer in interferers.dropFirst() { air.begin(interferer) }
        #expect(air.destroys(wanted, power: dBm(-50)) { _ in dBm(-60) })
        #expect(!air.destroys(wanted, power: dBm(-50)) { _ in dBm(-68.1) })
    }

    @Test("The powers of interferers in sequence do not add up")
    func sequentialInterferers() {
        let wanted = packet(near, at: 0)
        let (first, second) = (packet(far, at: -300), packet(third, at: 76))
        let late = packet(third, at: 75)
        #expect(!air(wanted, first, second).destroys(wanted, power: dBm(-50)) { _ in dBm(-59) })
        #expect(air(wanted, first, late).destroys(wanted, power: dBm(-50)) { _ in dBm(-59) })
    }

    @Test("A packet that is reported long before it begins does not displace a current packet")
    func earlyReport() {
        let (wanted, interferer) = (packet(far, at: 0, lasting: 17_040), packet(near, at: 0))
        var air = air(wanted, interferer)
        air.begin(packet(third, at: 17_040 + 20_000))
        #expect(air.overlapping(wanted) == [interferer])
    }

    @Test("An interferer that does not reach the receiver destroys nothing")
    func absentInterferer() {
        let (wanted, interferer) = (packet(near, at: 0), packet(far, at: 0))
        #expect(!air(wanted, interferer).destroys(wanted, power: dBm(-94)) { _ in nil })
    }

    @Test("A packet on another channel destroys nothing")
    func channels() {
        let wanted = packet(far, at: 0)
        let interferer = packet(near, at: 0, on: RadioChannel.primaryAdvertising[1])
        #expect(!air(wanted, interferer).destroys(wanted, power: dBm(-70), powerOf: powers))
    }

    @Test("A long packet that overlaps is found, even after many short packets")
    func longPacket() {
        var air = air(packet(near, at: 0, lasting: 17_040))
        for number in 0..<100 { air.begin(packet(third, at: 100 + number * 100, lasting: 44)) }
        let wanted = packet(far, at: 16_000)
        air.begin(wanted)
        #expect(air.overlapping(wanted).map(\.sender) == [near])
    }

    @Test("Packets may be reported in another order than they begin")
    func reportOrder() {
        let (early, late) = (packet(far, at: 0), packet(near, at: 300))
        let air = air(late, early)
        #expect(air.overlapping(early) == [late])
        #expect(air.overlapping(late) == [early])
    }

    @Test("The air removes packets that can no longer overlap")
    func expiry() {
        var air = Air()
        for number in 0..<10_000 { air.begin(packet(near, at: number * 1_000)) }
        #expect(air.transmissionCount(on: channel) <= 40)
        #expect(air.forgottenCount == 0)
    }

    @Test("The air holds a limited number of packets and counts the excess")
    func limit() {
        var air = Air()
        let excess = 100
        for number in 0..<Air.transmissionLimit + excess {
            air.begin(packet(RadioID(UInt64(number)), at: 0))
        }
        #expect(air.transmissionCount(on: channel) == Air.transmissionLimit)
        #expect(air.forgottenCount == excess)
    }

    @Test("The overlapping packets match the result of a full search", arguments: RunSeed.seeds(10))
    func fullSearch(seed: UInt64) {
        var generator = RandomStream(seed: seed)
        var air = Air()
        var all: [Transmission] = []
        var start = 0
        for _ in 0..<1_000 {
            start += Int(generator.uniform(below: 300))
            let next = packet(
                RadioID(generator.uniform(below: 5)),
                at: start,
                lasting: 44 + Int(generator.uniform(below: 2_000)),
                on: RadioChannel.primaryAdvertising[Int(generator.uniform(below: 3))]
            )
            air.begin(next)
            all.append(next)
            let wanted = all.filter { $0.sender != next.sender && $0.overlaps(next) }
            #expect(air.overlapping(next) == wanted.reversed())
        }
    }

    @Test("The radio has forty channels")
    func channelCount() {
        #expect((0..<40).allSatisfy { RadioChannel($0)?.index == $0 })
        #expect(RadioChannel(40) == nil && RadioChannel(-1) == nil)
        #expect(RadioChannel.primaryAdvertising.map(\.index) == [37, 38, 39])
    }

    @Test("A packet with a negative length ends at its start")
    func negativeLength() {
        #expect(packet(near, at: 5, lasting: -3).end == .zero + .microseconds(5))
    }
}
