// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Extended advertising on the air")
struct ExtendedAdvertisingTests {
    let world = World(seed: 12)
    let host: TestHost
    let sniffer: Sniffer

    init() throws {
        host = try TestHost(world)
        sniffer = Sniffer(world)
        // LE Advertising Set Terminated and LE Scan Request Received are masked after Reset.
        try host.unmaskEverything()
    }

    private func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    }

    private func start(
        _ parameters: HCI.LESetExtendedAdvertisingParameters,
        data: [UInt8] = [],
        response: [UInt8] = []
    ) throws {
        try host.perform(parameters)
        let handle = parameters.advertisingHandle
        if !data.isEmpty { try host.setData(data, of: handle) }
        if !response.isEmpty { try host.setResponse(response, of: handle) }
        try host.enable(HCI.AdvertisingSetRun(advertisingHandle: handle))
    }

    @Test("LL/DDI/ADV/BV-21-C: The extended commands advertise legacy packets")
    func legacyPackets() throws {
        try start(TestHost.setParameters(1, [.legacy]), data: [2, 1, 6])
        world.run(for: .seconds(10))
        #expect((90...100).contains(sniffer.events.count))
        #expect(sniffer.packets.allSatisfy { $0.legacy?.data == [2, 1, 6] && $0.legacy?.set == 1 })
        #expect(sniffer.packets.allSatisfy { $0.legacy?.isConnectable == false })
    }

    @Test("Non-connectable events without data have no auxiliary packet")
    func withoutAuxiliary() throws {
        try start(TestHost.setParameters())
        world.run(for: .seconds(1))
        for event in sniffer.events.dropLast() {
            #expect(event.map(\.channel) == [37, 38, 39])
            #expect(event.allSatisfy { $0.extended?.kind == .primary })
            #expect(event.allSatisfy { $0.extended?.pointer == nil })
            #expect(event.allSatisfy { $0.extended?.advertiser != nil })
            // The PDU has a header, a length and mode, flags and AdvA. Without data, it has no ADI.
            #expect(event.allSatisfy { $0.pduLength == 2 + 1 + 1 + 6 })
        }
    }

    @Test(
        "An ADV_EXT_IND without an auxiliary packet has the power on LE 1M, but not on LE Coded",
        arguments: [PHY.le1M, .leCoded]
    )
    func solePower(phy: PHY) throws {
        var parameters = TestHost.setParameters(1, [.includesTransmitPower])
        parameters.primaryPHY = phy
        try start(parameters)
        world.run(for: .seconds(1))
        let pdus = sniffer.packets.compactMap(\.extended)
        #expect(!pdus.isEmpty)
        #expect(pdus.allSatisfy { $0.transmitPower == (phy == .le1M ? 0 : nil) })
    }

    @Test("LL/DDI/ADV/BV-47-C: The primary packets point to one auxiliary packet with the data")
    func auxiliary() throws {
        try start(TestHost.setParameters(), data: bytes(200))
        world.run(for: .seconds(10))
        #expect((90...100).contains(sniffer.events.count))
        for event in sniffer.events.dropLast() {
            #expect(event.count == 4)
            let auxiliary = try #require(event.last)
            let pdu = try #require(auxiliary.extended)
            #expect(pdu.kind == .auxiliary && pdu.data == bytes(200) && pdu.pointer == nil)
            #expect(pdu.advertiser != nil && pdu.sid == 1)
            #expect((0...36).contains(auxiliary.channel))
            for primary in event.dropLast() {
                let pointer = try #require(primary.extended?.pointer)
                #expect(pointer.start == auxiliary.start)
                #expect(pointer.channel == auxiliary.transmission.channel)
                #expect(auxiliary.start - primary.end >= FrameSpace.auxiliaryMinimum)
                #expect(primary.extended?.advertiser == nil)
                #expect(primary.extended?.dataID == pdu.dataID)
            }
        }
        #expect(Set(sniffer.events.compactMap { $0.last?.channel }).count > 20)
    }

    @Test("Packets on secondary channels use only channels that the host has not classified as bad")
    func classifiedChannels() throws {
        let good = HCI.ChannelMap(rawValue: 0b10110)
        try host.perform(HCI.LESetHostChannelClassification(channels: good))
        let parameters = TestHost.setParameters(1, [], interval: 160...320)
        try start(parameters, data: bytes(500))
        world.run(for: .seconds(10))
        let secondary = sniffer.packets.map(\.channel).filter { $0 < 37 }
        #expect(Set(secondary) == [1, 2, 4])
    }

    @Test(
        "LL/DDI/ADV/BV-47-C and BV-49-C: Long data is chained",
        arguments: [246, 247, 491, 1000, 1650],
        [PHY.le1M, .le2M, .leCoded]
    )
    func chain(length: Int, phy: PHY) throws {
        var parameters = TestHost.setParameters(1, [], interval: 1600...1600)
        parameters.secondaryPHY = phy
        try start(parameters, data: bytes(length))
        world.run(for: .seconds(10))
        #expect(sniffer.events.count >= 9)
        let expected = ExtendedAdvertisingPDU.chain(
            [.advertiserAddress, .dataInfo],
            dataLength: length
        )
        for event in sniffer.events.dropLast() {
            let chain = event.dropFirst(3)
            #expect(chain.flatMap { $0.extended?.data ?? [] } == bytes(length))
            #expect(chain.map(\.pduLength) == expected?.map(\.length))
            #expect(chain.allSatisfy { $0.modulation.phy == phy })
            #expect(chain.dropFirst().allSatisfy { $0.extended?.kind == .chained })
            #expect(chain.last?.extended?.pointer == nil)
            for (one, next) in zip(chain, chain.dropFirst()) {
                #expect(one.extended?.pointer?.start == next.start)
                #expect(one.extended?.pointer?.channel == next.transmission.channel)
                #expect(next.start - one.end >= FrameSpace.auxiliaryMinimum)
            }
        }
    }

    @Test("On LE Coded, all packets are coded")
    func coded() throws {
        var parameters = TestHost.setParameters()
        parameters.primaryPHY = .leCoded
        parameters.secondaryPHY = .leCoded
        try start(parameters, data: bytes(10))
        world.run(for: .seconds(1))
        #expect(sniffer.packets.count > 30)
        #expect(sniffer.packets.allSatisfy { $0.modulation == .codedS8 })
    }

    @Test(
        "The auxiliary packet of a set marks it as connectable or scannable"
    )
    func invitations() throws {
        try start(TestHost.setParameters(1, [.connectable]), data: bytes(30))
        try start(TestHost.setParameters(2, [.scannable]), response: bytes(30))
        world.run(for: .seconds(1))
        let auxiliaries = sniffer.packets.compactMap(\.extended).filter { $0.kind == .auxiliary }
        let connectable = auxiliaries.filter { $0.set == 1 }
        #expect(connectable.count >= 9)
        #expect(
            connectable.allSatisfy { $0.isConnectable && !$0.isScannable && $0.data.count == 30 }
        )
        let scannable = auxiliaries.filter { $0.set == 2 }
        #expect(scannable.count >= 9)
        #expect(scannable.allSatisfy { !$0.isConnectable && $0.isScannable && $0.data.isEmpty })
    }

    @Test("The packets of an anonymous set have no address")
    func anonymous() throws {
        try start(TestHost.setParameters(1, [.anonymous]), data: bytes(5))
        world.run(for: .seconds(1))
        #expect(sniffer.packets.count > 30)
        #expect(sniffer.packets.allSatisfy { $0.extended?.advertiser == nil })
    }

    @Test("A directed set has its target's address, and TxPower if requested")
    func directed() throws {
        let properties: HCI.AdvertisingProperties = [
            .connectable, .directed, .includesTransmitPower,
        ]
        try start(TestHost.setParameters(1, properties))
        world.run(for: .seconds(1))
        let pdus = sniffer.packets.compactMap(\.extended).filter { $0.kind == .auxiliary }
        #expect(pdus.count >= 9)
        #expect(pdus.allSatisfy { $0.target == TestHost.unknownPeer && $0.transmitPower == 0 })
    }

    @Test("The data ID changes with the data, and when the host requests a change")
    func dataID() throws {
        try start(TestHost.setParameters(), data: bytes(5))
        world.run(for: .seconds(1))
        let before = Set(sniffer.packets.compactMap { $0.extended?.dataID })
        try host.setData(bytes(6))
        world.run(for: .milliseconds(20))
        sniffer.forget()
        world.run(for: .seconds(1))
        let after = Set(sniffer.packets.compactMap { $0.extended?.dataID })
        #expect(before.count == 1 && after.count == 1 && before != after)
        let unchanged = HCI.LESetExtendedAdvertisingData(
            advertisingHandle: 1,
            operation: .unchanged,
            data: []
        )
        try host.perform(unchanged)
        world.run(for: .milliseconds(20))
        sniffer.forget()
        world.run(for: .seconds(1))
        let third = Set(sniffer.packets.compactMap { $0.extended?.dataID })
        #expect(third.count == 1 && third.isDisjoint(with: after))
        #expect(sniffer.packets.contains { $0.extended?.data == bytes(6) })
    }

    @Test("Every set has its own address and its own events")
    func severalSets() throws {
        for handle in 1...4 as ClosedRange<UInt8> {
            var parameters = TestHost.setParameters(handle, [.legacy], interval: 160...160)
            parameters.ownAddressType = .random
            try host.perform(parameters)
            let address = HCI.BareAddress(value: 0xC000_0000_0000 | UInt64(handle))
            try host.perform(
                HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: handle, address: address)
            )
        }
        try host.enable(
            HCI.AdvertisingSetRun(advertisingHandle: 1),
            HCI.AdvertisingSetRun(advertisingHandle: 2),
            HCI.AdvertisingSetRun(advertisingHandle: 3),
            HCI.AdvertisingSetRun(advertisingHandle: 4)
        )
        world.run(for: .seconds(10))
        for handle in 1...4 as ClosedRange<UInt8> {
            let own = sniffer.packets.filter { $0.legacy?.set == handle && $0.channel == 37 }
            #expect(own.count > 85)
            #expect(
                own.allSatisfy { $0.legacy?.advertiser.value == 0xC000_0000_0000 | UInt64(handle) }
            )
        }
    }

    @Test("One radio sends one packet at a time")
    func oneAtATime() throws {
        for handle in 1...8 as ClosedRange<UInt8> {
            try start(
                TestHost.setParameters(handle, [.connectable], interval: 32...32),
                data: bytes(200)
            )
        }
        world.run(for: .seconds(10))
        let inOrder = sniffer.packets.sorted { $0.start < $1.start }
        #expect(inOrder.count > 1000)
        for (one, next) in zip(inOrder, inOrder.dropFirst()) {
            #expect(next.start >= one.end)
        }
    }

    @Test("A duration ends the set and is reported")
    func duration() throws {
        try host.perform(TestHost.setParameters(7, [.legacy]))
        let began = world.now
        try host.enable(
            HCI.AdvertisingSetRun(
                advertisingHandle: 7,
                duration: HCI.Timeout(.seconds(2))
            )
        )
        world.run(for: .seconds(10))
        let last = try #require(sniffer.packets.last)
        #expect(last.start - began <= .seconds(2))
        #expect(last.start - began > .milliseconds(1880))
        let event = try #require(host.terminations.first)
        #expect(host.terminations.count == 1)
        #expect(event.status == .advertisingTimeout && event.advertisingHandle == 7)
        #expect(event.completedEvents == 0)
        #expect(host.instants == [began + .seconds(2)])
    }

    @Test(
        "An event limit ends the set and is reported",
        arguments: [1, 5, 255]
    )
    func eventLimit(limit: UInt8) throws {
        try host.perform(TestHost.setParameters(7))
        try host.setData(bytes(5), of: 7)
        try host.enable(HCI.AdvertisingSetRun(advertisingHandle: 7, eventLimit: limit))
        world.run(for: .seconds(60))
        #expect(sniffer.events.count == Int(limit))
        let event = try #require(host.terminations.first)
        #expect(event.status == .limitReached && event.completedEvents == limit)
    }

    @Test("Enabling a set again restarts its duration and its event count")
    func again() throws {
        try host.perform(TestHost.setParameters(7, [.legacy]))
        let run = HCI.AdvertisingSetRun(
            advertisingHandle: 7,
            duration: HCI.Timeout(.seconds(2)),
            eventLimit: 15
        )
        try host.enable(run)
        world.run(for: .seconds(1))
        try host.enable(run)
        world.run(for: .milliseconds(1200))
        #expect(host.terminations.isEmpty)
        world.run(for: .seconds(1))
        #expect(host.terminations.map(\.status) == [.limitReached])
        #expect((22...26).contains(sniffer.events.count))
    }

    @Test("High duty cycle advertising of a set ends after its duration")
    func highDutyCycle() throws {
        let properties: HCI.AdvertisingProperties = [
            .legacy, .connectable, .directed, .highDutyCycle,
        ]
        try host.perform(TestHost.setParameters(3, properties))
        try host.enable(
            HCI.AdvertisingSetRun(advertisingHandle: 3, duration: HCI.Timeout(.milliseconds(1280)))
        )
        world.run(for: .seconds(2))
        #expect(sniffer.packets.count > 1000)
        #expect(host.terminations.map(\.status) == [.advertisingTimeout])
    }

    @Test("The interval grows within the allowed range until an event fits")
    func interval() throws {
        var parameters = TestHost.setParameters(1, [], interval: 32...1600)
        parameters.secondaryPHY = .leCoded
        try start(parameters, data: bytes(1650))
        world.run(for: .seconds(10))
        let starts = sniffer.packets.filter { $0.channel == 37 }.map(\.start)
        #expect(starts.gaps.allSatisfy { $0 > .milliseconds(100) && $0 < .milliseconds(150) })
    }
}
