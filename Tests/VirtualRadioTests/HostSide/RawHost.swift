// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// A host that sends plain bytes, and keeps every received packet in order.
final class RawHost {
    let world: World
    let id: ControllerID
    private(set) var packets: [HCI.Packet] = []
    private(set) var instants: [Instant] = []

    init(_ world: World, _ configuration: ControllerConfiguration = .init()) throws {
        self.world = world
        id = try world.addController(configuration)
        world.attach(id) { [unowned self] bytes in
            guard let packet = try? HCI.Packet(h4: bytes[...]) else {
                Issue.record("Not a packet: \(bytes)")
                return
            }
            packets.append(packet)
            instants.append(world.now)
        }
    }

    /// Every received event.
    var events: [HCI.Event] {
        packets.compactMap { packet in
            guard case .event(let code, let parameters) = packet else { return nil }
            return try? HCI.Event(code: code, parameters: parameters)
        }
    }

    /// Every received ACL packet.
    var data: [HCI.ACLPacket] {
        packets.compactMap { packet in
            guard case .acl(let packet) = packet else { return nil }
            return packet
        }
    }

    func forget() {
        packets = []
        instants = []
    }

    /// Sends bytes, which arrive at once.
    func send(_ bytes: [UInt8]) {
        world.send(bytes, to: id)
        world.run(for: .zero)
    }

    func send(_ command: some HCICommand) { send(HCI.EncodedCommand(command).h4Packet) }

    /// Sends bytes and returns the only event that arrives at once.
    func answer(to bytes: [UInt8]) throws -> HCI.Event {
        let before = packets.count
        send(bytes)
        #expect(packets.count == before + 1)
        return try #require(events.last)
    }
}
