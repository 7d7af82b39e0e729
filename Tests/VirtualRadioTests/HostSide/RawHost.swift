// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// A host that sends octets as they are, and keeps every packet that comes back, in its order.
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
                Issue.record("not a packet: \(bytes)")
                return
            }
            packets.append(packet)
            instants.append(world.now)
        }
    }

    /// Every event that came.
    var events: [HCI.Event] {
        packets.compactMap { packet in
            guard case .event(let code, let parameters) = packet else { return nil }
            return try? HCI.Event(code: code, parameters: parameters)
        }
    }

    /// Every piece of data that came.
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

    /// Sends octets; they arrive at once.
    func send(_ bytes: [UInt8]) {
        world.send(bytes, to: id)
        world.run(for: .zero)
    }

    func send(_ command: some HCICommand) { send(HCI.EncodedCommand(command).h4Packet) }

    /// Sends octets and returns the one event that comes back at once.
    func answer(to bytes: [UInt8]) throws -> HCI.Event {
        let before = packets.count
        send(bytes)
        #expect(packets.count == before + 1)
        return try #require(events.last)
    }
}
