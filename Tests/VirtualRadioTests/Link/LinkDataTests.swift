// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualRadio

@Suite("Data on a link")
struct LinkDataTests {
    /// Packets of many lengths that tell their number.
    private func packets(_ count: Int, seed: UInt64) -> [[UInt8]] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { number in
            [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)] + random.bytes(upTo: 249)
        }
    }

    private func exchange(_ sides: Set<LinkSide>, loss: Double = 0, seed: UInt64 = 1) throws {
        let bench = try LinkBench(seed: seed)
        let link = try bench.connect(0, 1, .milliseconds(15, timeout: .seconds(30)))
        bench.world.run(for: .seconds(1))
        bench.lose(loss)
        let sent = packets(300, seed: seed)
        for (host, side) in zip(bench.hosts, LinkSide.allCases) where sides.contains(side) {
            host.send(sent, on: try bench.handle(link, side))
        }
        bench.world.run(for: .seconds(120))

        for (host, side) in zip(bench.hosts, LinkSide.allCases) where sides.contains(side) {
            let receiver = bench.hosts[side == .central ? 1 : 0]
            let pieces = receiver.received[try bench.handle(link, side.other)] ?? []
            #expect(pieces.flatMap(\.payload) == sent.flatMap { $0 })
            #expect(pieces.filter { $0.boundary == .firstFlushable }.count == sent.count)
            #expect(pieces.allSatisfy { $0.boundary != .firstNonFlushable })
            #expect(host.completed[try bench.handle(link, side)] == sent.count)
        }
    }

    @Test("LL/CON/CEN/BV-03-C: the Central sends data")
    func centralSends() throws { try exchange([.central]) }

    @Test("LL/CON/CEN/BV-04-C, LL/CON/PER/BV-04-C: the Peripheral sends data")
    func peripheralSends() throws { try exchange([.peripheral]) }

    @Test("LL/CON/CEN/BV-05-C, LL/CON/PER/BV-06-C: both send data")
    func bothSend() throws { try exchange([.central, .peripheral]) }

    @Test(
        "Where three in ten packets are lost, all arrive once and in order",
        arguments: RunSeed.seeds(10)
    )
    func lossy(seed: UInt64) throws {
        try exchange([.central, .peripheral], loss: 0.3, seed: seed)
    }

    @Test("A host's packet is cut into PDUs that are no longer than agreed")
    func fragments() throws {
        let bench = try LinkBench()
        let link = try bench.connect()
        bench.hosts[0].send([[UInt8](0..<100)], on: try bench.handle(link, .central))
        bench.world.run(for: .milliseconds(100))
        let pieces = bench.hosts[1].received[try bench.handle(link, .peripheral)] ?? []
        #expect(pieces.map(\.payload.count) == [27, 27, 27, 19])
        #expect(pieces.map(\.boundary) == [.firstFlushable, .continuing, .continuing, .continuing])
    }

    @Test("What continues a frame stays a continuation")
    func continuation() throws {
        let bench = try LinkBench()
        let link = try bench.connect()
        let handle = try bench.handle(link, .central)
        bench.hosts[0].force([1, 2], on: handle)
        bench.hosts[0].force([3, 4], on: handle, boundary: .continuing)
        bench.world.run(for: .milliseconds(100))
        let pieces = bench.hosts[1].received[try bench.handle(link, .peripheral)] ?? []
        #expect(pieces.map(\.boundary) == [.firstFlushable, .continuing])
    }

    @Test("The time of a PDU limits its length as well", arguments: [Modulation.le1M, .le2M])
    func timeLimit(modulation: Modulation) throws {
        let bench = try LinkBench()
        let link = try bench.connect()
        bench.tune(link, modulation)
        bench.change(link, .central) { $0.dataLength.sendTime = .microseconds(1_048) }
        bench.hosts[0].send(
            [[UInt8](repeating: 0, count: 251)],
            on: try bench.handle(link, .central)
        )
        bench.world.run(for: .milliseconds(100))
        let first = try #require(
            bench.hosts[1].received[try bench.handle(link, .peripheral)]?.first
        )
        let longest = modulation.airTime(pduLength: first.payload.count + 2 + 4)
        #expect(longest <= .microseconds(1_048))
        #expect(modulation.airTime(pduLength: first.payload.count + 3 + 4) > .microseconds(1_048))
    }
}

@Suite("Flow control of data")
struct LinkFlowTests {
    @Test("The controller never holds more than it says, on all links together")
    func credits() throws {
        let bench = try LinkBench(hosts: 4) { $0.dataPacketCount = 5 }
        let links = try (1...3).map { try bench.connect(0, $0) }
        for link in links {
            bench.hosts[0].stream(
                [UInt8](repeating: 1, count: 60),
                on: try bench.handle(link, .central)
            )
        }
        var most = 0
        for _ in 0..<2_000 {
            bench.world.run(for: .milliseconds(1))
            most = max(most, bench.world.core.ether.links.accounts[0].heldPackets)
        }
        #expect(most == 5)
        #expect(bench.hosts[0].events.allSatisfy { !$0.event.isOverflow })
        for link in links {
            let completed = bench.hosts[0].completed[try bench.handle(link, .central)] ?? 0
            #expect(completed > 60)
        }
    }

    @Test("What is more is lost, and the host is told")
    func overrun() throws {
        let bench = try LinkBench { $0.dataPacketCount = 3 }
        let link = try bench.connect()
        for number in UInt8(0)..<5 {
            bench.hosts[0].force([number], on: try bench.handle(link, .central))
        }
        bench.world.run(for: .milliseconds(100))
        #expect(bench.hosts[0].events.filter { $0.event.isOverflow }.count == 2)
        #expect(bench.hosts[1].octets(try bench.handle(link, .peripheral)) == [0, 1, 2])
        #expect(bench.hosts[0].completed[try bench.handle(link, .central)] == 3)
    }

    @Test("A packet that is too long is lost, and the host is told")
    func tooLong() throws {
        let bench = try LinkBench { $0.dataPacketLength = 27 }
        let link = try bench.connect()
        for length in [28, 27] {
            let packet = HCI.ACLPacket(
                connectionHandle: try bench.handle(link, .central),
                boundary: .firstNonFlushable,
                payload: [UInt8](0..<UInt8(length))[...]
            )
            bench.world.core.ether.sendData(packet, from: bench.hosts[0].radio)
        }
        bench.world.run(for: .milliseconds(100))
        #expect(bench.hosts[0].events.filter { $0.event.isOverflow }.count == 1)
        #expect(bench.hosts[1].octets(try bench.handle(link, .peripheral)) == [UInt8](0..<27))
    }

    @Test("Data for no link, with impossible flags, or empty, harms nobody")
    func nonsense() throws {
        let bench = try LinkBench()
        let link = try bench.connect()
        let handle = try bench.handle(link, .central)
        bench.hosts[0].force([1], on: ConnectionHandle(rawValue: 0x0777))
        bench.hosts[0].force([2], on: handle, boundary: .complete)
        bench.hosts[0].force([3], on: handle, boundary: .firstFlushable)
        bench.hosts[0].force([4], on: handle, broadcast: 1)
        bench.hosts[0].force([], on: handle)
        bench.hosts[0].force([5], on: handle)
        bench.world.run(for: .milliseconds(100))
        #expect(bench.hosts[1].octets(try bench.handle(link, .peripheral)) == [5])
        #expect(bench.hosts[0].completed[handle] == 2)
        #expect(bench.world.core.ether.links.accounts[0].heldPackets == 0)
    }

    @Test("The buffers of a link that ends are free for others")
    func buffersComeBack() throws {
        let bench = try LinkBench(hosts: 3) { $0.dataPacketCount = 4 }
        let lost = try bench.connect(0, 1, .milliseconds(30, timeout: .milliseconds(200)))
        let other = try bench.connect(0, 2)
        bench.world.run(for: .milliseconds(100))
        let radios = (bench.hosts[0].radio, bench.hosts[1].radio)
        bench.world.core.ether.surroundings.setLoss(200, between: radios.0, and: radios.1)
        for _ in 0..<4 { bench.hosts[0].force([1], on: try bench.handle(lost, .central)) }
        bench.world.run(for: .milliseconds(50))
        #expect(bench.world.core.ether.links.accounts[0].heldPackets == 4)
        bench.world.run(for: .milliseconds(200))
        #expect(bench.world.core.ether.links.accounts[0].heldPackets == 0)
        bench.hosts[0].force([9], on: try bench.handle(other, .central))
        bench.world.run(for: .milliseconds(100))
        #expect(bench.hosts[2].octets(try bench.handle(other, .peripheral)) == [9])
        #expect(bench.hosts[0].events.allSatisfy { !$0.event.isOverflow })
    }
}

extension HCI.Event {
    /// Whether the host has sent too much.
    fileprivate var isOverflow: Bool {
        guard case .dataBufferOverflow = self else { return false }
        return true
    }
}
