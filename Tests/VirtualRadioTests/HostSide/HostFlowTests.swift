// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import Testing

@testable import VirtualRadio

@Suite("A host's buffers") struct HostFlowTests {
    private static let link = ConnectionHandle(rawValue: 1)
    private static let other = ConnectionHandle(rawValue: 2)

    private func packet(_ length: Int, on link: ConnectionHandle = link) -> HCI.ACLPacket {
        HCI.ACLPacket(
            connectionHandle: link,
            boundary: .firstFlushable,
            payload: [UInt8](repeating: 0x55, count: length)[...]
        )
    }

    private func flow(length: UInt16 = 251, count: UInt16 = 2) -> HostFlow {
        var flow = HostFlow()
        flow.isOn = true
        flow.setBuffers(packetLength: length, packetCount: count)
        return flow
    }

    private func pass(_ packet: HCI.ACLPacket, _ flow: inout HostFlow) -> [HCI.ACLPacket] {
        var passed: [HCI.ACLPacket] = []
        #expect(flow.pass(packet) { passed.append($0) })
        return passed
    }

    @Test("Without flow control, the buffers are not counted") func off() {
        var flow = HostFlow()
        flow.setBuffers(packetLength: 251, packetCount: 1)
        for _ in 0..<100 { #expect(pass(packet(10), &flow).count == 1) }
    }

    @Test("Data waits in order until buffers are free") func heldBack() {
        var flow = flow()
        let packets = (1...5).map { packet($0) }
        #expect(packets.map { pass($0, &flow).count } == [1, 1, 0, 0, 0])
        flow.complete(HCI.CompletedPackets(connectionHandle: Self.link, count: 1))
        #expect(flow.release() == [packets[2]])
        #expect(pass(packet(9), &flow) == [])
        flow.complete(HCI.CompletedPackets(connectionHandle: Self.link, count: 2))
        #expect(flow.release() == [packets[3], packets[4]])
        #expect(flow.release() == [])
    }

    @Test("No more buffers are freed than were used, and only on their link") func excess() {
        var flow = flow()
        _ = pass(packet(1), &flow)
        flow.complete(HCI.CompletedPackets(connectionHandle: Self.link, count: 0xFFFF))
        flow.complete(HCI.CompletedPackets(connectionHandle: Self.other, count: 0xFFFF))
        #expect((0..<5).map { pass(packet($0 + 1), &flow).count } == [1, 1, 0, 0, 0])
    }

    @Test("The end of a link frees its buffers") func disconnection() {
        var flow = flow()
        for length in 1...4 { _ = pass(packet(length), &flow) }
        let foreign = packet(7, on: Self.other)
        #expect(pass(foreign, &flow) == [])
        flow.disconnected(Self.link)
        #expect(flow.release() == [foreign])
    }

    @Test("Data that is longer than a buffer is split") func pieces() {
        var flow = flow(length: 100, count: 9)
        let passed = pass(packet(251), &flow)
        #expect(passed.map(\.payload.count) == [100, 100, 51])
        #expect(passed.map(\.boundary) == [.firstFlushable, .continuing, .continuing])
    }

    @Test("If the buffers are never freed, data above a limit is lost") func bound() {
        var flow = flow(count: 1)
        _ = pass(packet(1), &flow)
        for _ in 0..<HostFlow.heldLimit { _ = pass(packet(1), &flow) }
        #expect(!flow.hasRoom)
        #expect(!flow.pass(packet(1)) { _ in Issue.record("The host has no free buffer") })
    }

    @Test("The commands for the buffers are refused if invalid") func commands() throws {
        let host = try TestHost(World(seed: 1))
        #expect(
            try host.status(HCI.HostBufferSize(aclPacketLength: 251, aclPacketCount: 4)) == .success
        )
        #expect(
            try host.status(HCI.HostBufferSize(aclPacketLength: 0, aclPacketCount: 4))
                == .invalidCommandParameters
        )
        #expect(
            try host.status(HCI.HostBufferSize(aclPacketLength: 27, aclPacketCount: 0))
                == .invalidCommandParameters
        )
        #expect(try host.status(HCI.SetControllerToHostFlowControl(mode: .acl)) == .success)
        #expect(
            try host.status(HCI.SetControllerToHostFlowControl(mode: .both))
                == .unsupportedFeatureOrParameterValue
        )
        #expect(try host.status(HCI.SetControllerToHostFlowControl(mode: .off)) == .success)
    }

    @Test("Host Number Of Completed Packets has no answer, unless it is malformed")
    func completed() throws {
        let world = World(seed: 1)
        let host = try RawHost(world)
        host.send(HCI.HostBufferSize(aclPacketLength: 251, aclPacketCount: 1))
        host.send(HCI.SetControllerToHostFlowControl(mode: .acl))
        host.forget()
        for length in 1...3 { world.core.ether.deliver(packet(length), to: host.id.radio) }
        let completed = HCI.CompletedPackets(connectionHandle: Self.link, count: 1)
        host.send(HCI.HostNumberOfCompletedPackets(completed: [completed]))
        #expect(host.events.isEmpty)
        #expect(host.data.map(\.payload.count) == [1, 2])
        host.send([0x01, 0x35, 0x0C, 0x01, 0x02])
        #expect(host.events == [.completed(.hostNumberOfCompletedPackets, [0x12])])
    }

    @Test("Lost data is reported with Data Buffer Overflow") func overflow() throws {
        let world = World(seed: 1)
        let host = try RawHost(world)
        host.send(HCI.HostBufferSize(aclPacketLength: 251, aclPacketCount: 1))
        host.send(HCI.SetControllerToHostFlowControl(mode: .acl))
        host.forget()
        for _ in 0..<(HostFlow.heldLimit + 2) {
            world.core.ether.deliver(packet(1), to: host.id.radio)
        }
        #expect(!world.core.ether.hasRoomForData(host.id.radio))
        host.send(HCI.Reset())
        #expect(host.data.count == 1)
        #expect(host.events.first == .dataBufferOverflow(HCI.DataBufferOverflow(linkType: 1)))
        #expect(world.core.ether.hasRoomForData(host.id.radio))
    }
}
