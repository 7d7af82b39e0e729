// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import Testing

@testable import VirtualRadio

@Suite("Packets that a host does not read") struct HostOutboxTests {
    private static let report = HCI.Event.advertisingReports([]).packet.h4Bytes
    private static let answer = HCI.Event.completed(.reset, [0]).packet.h4Bytes

    @Test("Packets wait in order") func order() {
        var outbox = HostOutbox()
        outbox.put(Self.answer)
        outbox.put(Self.report)
        #expect(outbox.takeAll() == [Self.answer, Self.report])
        #expect(outbox.takeAll() == [])
    }

    @Test("Advertising reports are dropped first, and a full outbox ends with one Hardware Error")
    func full() {
        var outbox = HostOutbox()
        for _ in 0..<HostOutbox.packetLimit { outbox.put(Self.report) }
        #expect(outbox.packets.count == HostOutbox.reportLimit)
        for _ in 0..<HostOutbox.packetLimit { outbox.put(Self.answer) }
        #expect(outbox.packets.count == HostOutbox.packetLimit)
        #expect(outbox.packets.last == HardwareErrorCode.packetsLost.event.packet.h4Bytes)
        let lost = outbox.packets.filter { $0 == outbox.packets.last }
        #expect(lost.count == 1)
        _ = outbox.takeAll()
        outbox.put(Self.report)
        #expect(outbox.packets == [Self.report])
    }

    @Test("The waiting packets are limited for a host that sends commands and never reads")
    func manyCommands() throws {
        let world = World(seed: 1)
        let id = try world.addController()
        let commands = Array(repeatElement([0x01, 0x18, 0x20, 0x00] as [UInt8], count: 70_000))
        world.send(commands.flatMap(\.self), to: id)
        world.run(for: .zero)
        let output = world.takeOutput(of: id)
        #expect(output.count == HostOutbox.packetLimit)
        #expect(output.last == HardwareErrorCode.packetsLost.event.packet.h4Bytes)
    }
}
