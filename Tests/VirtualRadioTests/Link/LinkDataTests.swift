// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualRadio

@Suite("Data on a link")
struct LinkDataTests {
    /// Returns packets of many lengths, each with its number.
    private func packets(_ count: Int, seed: UInt64) -> [[UInt8]] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { number in
            [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)] + random.bytes(upTo: 249)
        }
    }

    private func exchange(_ sides: Set<LinkSide>, loss: Double = 0, seed: UInt64 = 1) throws {
        let harness = try LinkHarness(seed: seed)
        let link = try harness.connect(0, 1, .milliseconds(15, timeout: .seconds(30)))
        harness.world.run(for: .seconds(1))
        harness.lose(loss)
        let sent = packets(300, seed: seed)
        for (host, side) in zip(harness.hosts, LinkSide.allCases) where sides.contains(side) {
            host.send(sent, on: try harness.handle(link, side))
        }
        harness.world.run(for: .seconds(120))

        for (host, side) in zip(harness.hosts, LinkSide.allCases) where sides.contains(side) {
            let receiver = harness.hosts[side == .central ? 1 : 0]
            let pieces = receiver.received[try harness.handle(link, side.other)] ?? []
            #expect(pieces.flatMap(\.payload) == sent.flatMap { $0 })
            #expect(pieces.filter { $0.boundary == .firstFlushable }.count == sent.count)
            #expect(pieces.allSatisfy { $0.boundary != .firstNonFlushable })
            #expect(host.completed[try harness.handle(link, side)] == sent.count)
        }
    }

    @Test("LL/CON/CEN/BV-03-C: The central sends data")
    func centralSends() throws { try exchange([.central]) }

    @Test("LL/CON/CEN/BV-04-C, LL/CON/PER/BV-04-C: The peripheral sends data")
    func peripheralSends() throws { try exchange([.peripheral]) }

    @Test("LL/CON/CEN/BV-05-C, LL/CON/PER/BV-06-C: Both sides send data")
    func bothSend() throws { try exchange([.central, .peripheral]) }

    @Test(
        "Each packet arrives once and in order at a loss of three in ten",
        arguments: RunSeed.seeds(10)
    )
    func lossy(seed: UInt64) throws {
        try exchange([.central, .peripheral], loss: 0.3, seed: seed)
    }

    @Test("A host's packet is divided into PDUs within the agreed length")
    func fragments() throws {
        let harness = try LinkHarness()
        let link = try harness.connect()
        harness.hosts[0].send([[UInt8](0..<100)], on: try harness.handle(link, .central))
        harness.world.run(for: .milliseconds(100))
        let pieces = harness.hosts[1].received[try harness.handle(link, .peripheral)] ?? []
        #expect(pieces.map(\.payload.count) == [27, 27, 27, 19])
        #expect(pieces.map(\.boundary) == [.firstFlushable, .continuing, .continuing, .continuing])
    }

    @Test("A continuation of a frame stays a continuation")
    func continuation() throws {
        let harness = try LinkHarness()
        let link = try harness.connect()
        let handle = try harness.handle(link, .central)
        harness.hosts[0].force([1, 2], on: handle)
        harness.hosts[0].force([3, 4], on: handle, boundary: .continuing)
        harness.world.run(for: .milliseconds(100))
        let pieces = harness.hosts[1].received[try harness.handle(link, .peripheral)] ?? []
        #expect(pieces.map(\.boundary) == [.firstFlushable, .continuing])
    }

    @Test("The maximum time of a PDU also limits its length", arguments: [Modulation.le1M, .le2M])
    func timeLimit(modulation: Modulation) throws {
        let harness = try LinkHarness()
        let link = try harness.connect()
        harness.tune(link, modulation)
        harness.change(link, .central) { $0.dataLength.sendTime = .microseconds(1_048) }
        harness.hosts[0].send(
            [[UInt8](repeating: 0, count: 251)],
            on: try harness.handle(link, .central)
        )
        harness.world.run(for: .milliseconds(100))
        let first = try #require(
            harness.hosts[1].received[try harness.handle(link, .peripheral)]?.first
        )
        let longest = modulation.airTime(pduLength: first.payload.count + 2 + 4)
        #expect(longest <= .microseconds(1_048))
        #expect(modulation.airTime(pduLength: first.payload.count + 3 + 4) > .microseconds(1_048))
    }
}

@Suite("Flow control of data")
struct LinkFlowTests {
    @Test("The controller holds at most the reported number of packets on all links")
    func credits() throws {
        let harness = try LinkHarness(hosts: 4) { $0.dataPacketCount = 5 }
        let links = try (1...3).map { try harness.connect(0, $0) }
        for link in links {
            harness.hosts[0].stream(
                [UInt8](repeating: 1, count: 60),
                on: try harness.handle(link, .central)
            )
        }
        var most = 0
        for _ in 0..<2_000 {
            harness.world.run(for: .milliseconds(1))
            most = max(most, harness.world.core.ether.links.resources[0].heldPackets)
        }
        #expect(most == 5)
        #expect(harness.hosts[0].events.allSatisfy { !$0.event.isOverflow })
        for link in links {
            let completed = harness.hosts[0].completed[try harness.handle(link, .central)] ?? 0
            #expect(completed > 60)
        }
    }

    @Test("Packets beyond the buffers are lost and reported")
    func overrun() throws {
        let harness = try LinkHarness { $0.dataPacketCount = 3 }
        let link = try harness.connect()
        for number in UInt8(0)..<5 {
            harness.hosts[0].force([number], on: try harness.handle(link, .central))
        }
        harness.world.run(for: .milliseconds(100))
        #expect(harness.hosts[0].events.filter { $0.event.isOverflow }.count == 2)
        #expect(harness.hosts[1].bytes(try harness.handle(link, .peripheral)) == [0, 1, 2])
        #expect(harness.hosts[0].completed[try harness.handle(link, .central)] == 3)
    }

    @Test("A packet that is too long is lost and reported")
    func tooLong() throws {
        let harness = try LinkHarness { $0.dataPacketLength = 27 }
        let link = try harness.connect()
        for length in [28, 27] {
            let packet = HCI.ACLPacket(
                connectionHandle: try harness.handle(link, .central),
                boundary: .firstNonFlushable,
                payload: [UInt8](0..<UInt8(length))[...]
            )
            harness.world.core.ether.sendData(packet, from: harness.hosts[0].radio)
        }
        harness.world.run(for: .milliseconds(100))
        #expect(harness.hosts[0].events.filter { $0.event.isOverflow }.count == 1)
        #expect(harness.hosts[1].bytes(try harness.handle(link, .peripheral)) == [UInt8](0..<27))
    }

    @Test("Invalid data packets do not affect the link")
    func invalidPackets() throws {
        let harness = try LinkHarness()
        let link = try harness.connect()
        let handle = try harness.handle(link, .central)
        harness.hosts[0].force([1], on: ConnectionHandle(rawValue: 0x0777))
        harness.hosts[0].force([2], on: handle, boundary: .complete)
        harness.hosts[0].force([3], on: handle, boundary: .firstFlushable)
        harness.hosts[0].force([4], on: handle, broadcast: 1)
        harness.hosts[0].force([], on: handle)
        harness.hosts[0].force([5], on: handle)
        harness.world.run(for: .milliseconds(100))
        #expect(harness.hosts[1].bytes(try harness.handle(link, .peripheral)) == [5])
        #expect(harness.hosts[0].completed[handle] == 2)
        #expect(harness.world.core.ether.links.resources[0].heldPackets == 0)
    }

    @Test("The buffers of an ended link are free for other links")
    func freedBuffers() throws {
        let harness = try LinkHarness(hosts: 3) { $0.dataPacketCount = 4 }
        let lost = try harness.connect(0, 1, .milliseconds(30, timeout: .milliseconds(200)))
        let other = try harness.connect(0, 2)
        harness.world.run(for: .milliseconds(100))
        let radios = (harness.hosts[0].radio, harness.hosts[1].radio)
        harness.world.core.ether.environment.setLoss(200, between: radios.0, and: radios.1)
        for _ in 0..<4 { harness.hosts[0].force([1], on: try harness.handle(lost, .central)) }
        harness.world.run(for: .milliseconds(50))
        #expect(harness.world.core.ether.links.resources[0].heldPackets == 4)
        harness.world.run(for: .milliseconds(200))
        #expect(harness.world.core.ether.links.resources[0].heldPackets == 0)
        harness.hosts[0].force([9], on: try harness.handle(other, .central))
        harness.world.run(for: .milliseconds(100))
        #expect(harness.hosts[2].bytes(try harness.handle(other, .peripheral)) == [9])
        #expect(harness.hosts[0].events.allSatisfy { !$0.event.isOverflow })
    }
}

extension HCI.Event {
    /// Whether the event reports that the host has sent too much data.
    fileprivate var isOverflow: Bool {
        guard case .dataBufferOverflow = self else { return false }
        return true
    }
}
