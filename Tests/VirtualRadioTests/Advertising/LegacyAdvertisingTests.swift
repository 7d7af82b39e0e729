// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Legacy advertising on the air")
struct LegacyAdvertisingTests {
    let world = World(seed: 11)
    let host: TestHost
    let sniffer: Sniffer

    init() throws {
        host = try TestHost(world)
        sniffer = Sniffer(world)
    }

    private func advertise(
        _ type: HCI.AdvertisingType,
        interval: UInt16 = 160,
        channels: HCI.AdvertisingChannels = .all,
        data: [UInt8] = [2, 1, 6]
    ) throws {
        try host.advertise(type, interval: interval, channels: channels, data: data)
    }

    @Test("LL/DDI/ADV/BV-03-C: Non-connectable events use all channels in order")
    func nonConnectable() throws {
        try advertise(.nonConnectable)
        world.run(for: .seconds(10))
        #expect(sniffer.events.count > 90)
        for event in sniffer.events.dropLast() {
            #expect(event.map(\.channel) == [37, 38, 39])
        }
        let pdu = try #require(sniffer.packets.first?.legacy)
        #expect(!pdu.isConnectable && !pdu.isScannable && pdu.target == nil)
        #expect(pdu.data == [2, 1, 6])
        #expect(sniffer.packets[0].end - sniffer.packets[0].start == .microseconds(152))
    }

    @Test("Connectable undirected events leave time for requests")
    func connectable() throws {
        try advertise(.connectableUndirected)
        world.run(for: .seconds(1))
        let pdu = try #require(sniffer.packets.first?.legacy)
        #expect(pdu.isConnectable && pdu.isScannable)
        for event in sniffer.events.dropLast() {
            #expect(event.map(\.channel) == [37, 38, 39])
            for (one, next) in zip(event, event.dropFirst()) {
                #expect(next.start - one.end > FrameSpace.betweenFrames)
                #expect(next.start - one.start <= .milliseconds(10))
            }
        }
    }

    @Test("Events follow each other after an interval and a delay of up to 10 ms")
    func delays() throws {
        try advertise(.nonConnectable, interval: 160)
        world.run(for: .seconds(100))
        let gaps = sniffer.events.map { $0[0].start }.gaps
        #expect(gaps.allSatisfy { (.milliseconds(100) ... .milliseconds(110)).contains($0) })
        #expect(
            gaps.contains { $0 < .milliseconds(101) } && gaps.contains { $0 > .milliseconds(109) }
        )
    }

    @Test(
        "The rate of events matches the computed mean rate",
        arguments: [32, 160, 1636, 16384] as [UInt16]
    )
    func rate(interval: UInt16) throws {
        try advertise(.connectableUndirected, interval: interval)
        world.run(for: .seconds(1000))
        let expected =
            AdvertisingEvent.meanRate(interval: HCI.ScanInterval(rawValue: interval).duration)
            * 1000
        #expect(abs(Double(sniffer.events.count) - expected) < max(3, expected * 0.01))
    }

    @Test("LL/DDI/ADV/BV-04-C: Advertising data changes during advertising")
    func dataChange() throws {
        try advertise(.connectableUndirected)
        world.run(for: .seconds(1))
        let other = try #require(HCI.LegacyAdvertisingData([UInt8](repeating: 7, count: 31)))
        try host.perform(HCI.LESetAdvertisingData(data: other))
        sniffer.forget()
        world.run(for: .seconds(1))
        #expect(sniffer.packets.dropFirst().allSatisfy { $0.legacy?.data == other.bytes })
        let last = try #require(sniffer.packets.last)
        #expect(last.end - last.start == .microseconds(376))
    }

    @Test("Only the requested channels are used", arguments: 1...7)
    func channels(map: UInt8) throws {
        try advertise(.scannable, channels: HCI.AdvertisingChannels(rawValue: map))
        world.run(for: .seconds(1))
        let expected = (0..<3).filter { map & 1 << $0 != 0 }.map { 37 + $0 }
        for event in sniffer.events.dropLast() {
            #expect(event.map(\.channel) == expected)
        }
    }

    @Test("LL/DDI/ADV/BV-11-C: High duty cycle directed advertising ends after 1.28 s")
    func highDutyCycle() throws {
        let began = world.now
        try advertise(.directedHighDutyCycle)
        world.run(for: .seconds(3))
        let last = try #require(sniffer.packets.last)
        #expect(last.start - began <= .milliseconds(1280))
        #expect(last.start - began > .milliseconds(1270))
        for channel in 37...39 {
            let starts = sniffer.packets.filter { $0.channel == channel }.map(\.start)
            #expect(starts.gaps.allSatisfy { $0 <= .microseconds(3750) })
        }
        #expect(sniffer.packets.allSatisfy { $0.legacy?.target == TestHost.unknownPeer })
        #expect(sniffer.packets.allSatisfy { $0.legacy?.data == [] })
        guard case .connectionComplete(let event) = host.events.first else {
            Issue.record("No Connection Complete: \(host.events)")
            return
        }
        #expect(event.status == .advertisingTimeout)
        #expect(host.instants == [began + .milliseconds(1280)])
    }

    @Test("The host may advertise again after high duty cycle advertising")
    func highDutyCycleAgain() throws {
        try advertise(.directedHighDutyCycle)
        world.run(for: .seconds(2))
        sniffer.forget()
        try host.perform(HCI.LESetAdvertisingEnable(isEnabled: true))
        world.run(for: .seconds(2))
        #expect(sniffer.packets.count > 900)
        #expect(host.events.count == 2)
    }

    @Test("LL/DDI/ADV/BV-19-C: Low duty cycle directed advertising continues")
    func lowDutyCycle() throws {
        try advertise(.directedLowDutyCycle)
        world.run(for: .seconds(10))
        #expect((90...100).contains(sniffer.events.count))
        let packet = try #require(sniffer.packets.first)
        #expect(packet.legacy?.target == TestHost.unknownPeer)
        #expect(packet.legacy?.isConnectable == true && packet.legacy?.isScannable == false)
        #expect(packet.end - packet.start == .microseconds(176))
    }

    @Test("Disabled advertising sends no packets, and has its usual rate when enabled again")
    func disabling() throws {
        try advertise(.connectableUndirected)
        world.run(for: .seconds(1))
        try host.perform(HCI.LESetAdvertisingEnable(isEnabled: false))
        world.run(for: .milliseconds(10))
        sniffer.forget()
        world.run(for: .seconds(10))
        #expect(sniffer.packets.isEmpty)
        try host.perform(HCI.LESetAdvertisingEnable(isEnabled: true))
        world.run(for: .seconds(10))
        #expect((90...100).contains(sniffer.events.count))
    }

    @Test("Disabling and enabling within events never doubles the rate")
    func switching() throws {
        try advertise(.connectableUndirected, interval: 32)
        for step in 0..<200 {
            world.run(for: .microseconds(Int64(step * 37)))
            try host.perform(HCI.LESetAdvertisingEnable(isEnabled: step % 2 == 1))
        }
        sniffer.forget()
        world.run(for: .seconds(10))
        #expect((390...405).contains(sniffer.events.count))
    }

    @Test("The random address of the device is in its packets")
    func randomAddress() throws {
        let address = try #require(DeviceAddress("C0:00:00:00:00:11", kind: .random))
        try host.perform(HCI.LESetRandomAddress(address: HCI.BareAddress(address)))
        try host.advertise(.nonConnectable, own: .random)
        world.run(for: .seconds(1))
        #expect(sniffer.packets.allSatisfy { $0.legacy?.advertiser == address })
        #expect(!sniffer.packets.isEmpty)
    }
}
