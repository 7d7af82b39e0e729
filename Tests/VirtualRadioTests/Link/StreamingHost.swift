// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// A host that keeps received data, and sends as much as its controller accepts.
final class StreamingHost {
    let world: World
    let id: ControllerID
    let address: DeviceAddress
    private let packetCount: Int
    /// The received events with their times, except Command Complete, Command Status and Number Of
    /// Completed Packets.
    private(set) var events: [(instant: Instant, event: HCI.Event)] = []
    /// The received packets of each link.
    private(set) var received: [ConnectionHandle: [HCI.ACLPacket]] = [:]
    /// The number of packets of each link that the controller has reported as completed.
    private(set) var completed: [ConnectionHandle: Int] = [:]
    /// The number of packets that the controller holds, by the host's count.
    private(set) var outstanding: [ConnectionHandle: Int] = [:]
    private var waiting: [ConnectionHandle: [[UInt8]]] = [:]
    private var streams: [ConnectionHandle: [UInt8]] = [:]

    init(_ world: World, _ configuration: ControllerConfiguration) throws {
        self.world = world
        id = try world.addController(configuration)
        packetCount = configuration.dataPacketCount
        address = world.core.controllers[id.radio.index].publicAddress
        world.read(
            id,
            data: { [unowned self] in received[$0.connectionHandle, default: []].append($0) },
            events: { [unowned self] in receive($0) }
        )
        command(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
    }

    var radio: RadioID { id.radio }

    /// Sends the packets in order, as the controller accepts them.
    func send(_ packets: [[UInt8]], on handle: ConnectionHandle) {
        waiting[handle, default: []] += packets
        refill()
    }

    /// Sends the packet repeatedly.
    func stream(_ packet: [UInt8], on handle: ConnectionHandle) {
        streams[handle] = packet
        refill()
    }

    /// Sends one packet, even if the controller has no free buffer.
    func force(
        _ payload: [UInt8],
        on handle: ConnectionHandle,
        boundary: HCI.PacketBoundary = .firstNonFlushable,
        broadcast: UInt8 = 0
    ) {
        let packet = HCI.ACLPacket(
            connectionHandle: handle,
            boundary: boundary,
            broadcast: broadcast,
            payload: payload[...]
        )
        world.send(packet.h4Bytes, to: id)
    }

    /// Sends a command, which the controller executes at once. The answer is dropped.
    func command(_ command: some HCICommand) {
        world.send(HCI.EncodedCommand(command).h4Packet, to: id)
        world.run(for: .zero)
    }

    /// Returns all bytes received on the link.
    func bytes(_ handle: ConnectionHandle) -> [UInt8] {
        (received[handle] ?? []).flatMap(\.payload)
    }

    /// Removes the received data and events.
    func forget() {
        received = [:]
        events = []
    }

    /// Removes all links and their data, because Reset has ended the links.
    func forgetLinks() {
        forget()
        outstanding = [:]
        completed = [:]
        waiting = [:]
        streams = [:]
    }

    /// The first disconnection.
    var disconnection: (instant: Instant, handle: ConnectionHandle, reason: HCI.ErrorCode)? {
        for (instant, event) in events {
            guard case .disconnectionComplete(let end) = event else { continue }
            return (instant, end.connectionHandle, end.reason)
        }
        return nil
    }

    private func receive(_ event: HCI.Event) {
        switch event {
        case .commandComplete, .commandStatus: break
        case .numberOfCompletedPackets(let event):
            for link in event.completed {
                completed[link.connectionHandle, default: 0] += Int(link.count)
                outstanding[link.connectionHandle, default: 0] -= Int(link.count)
            }
            refill()
        case .disconnectionComplete(let end):
            outstanding[end.connectionHandle] = nil
            waiting[end.connectionHandle] = nil
            streams[end.connectionHandle] = nil
            events.append((world.now, event))
        default: events.append((world.now, event))
        }
    }

    /// Sends packets of the links in turn, while the controller has free buffers.
    private func refill() {
        while outstanding.values.reduce(0, +) < packetCount {
            let candidates = Set(waiting.keys.filter { waiting[$0]?.isEmpty == false })
                .union(streams.keys)
            // The next packet is from the link with the fewest packets in the controller.
            let handle = candidates.min {
                (outstanding[$0] ?? 0, $0.rawValue) < (outstanding[$1] ?? 0, $1.rawValue)
            }
            guard let handle, let payload = next(handle) else { return }
            outstanding[handle, default: 0] += 1
            force(payload, on: handle)
        }
    }

    private func next(_ handle: ConnectionHandle) -> [UInt8]? {
        if let stream = streams[handle] { return stream }
        guard waiting[handle]?.isEmpty == false else { return nil }
        return waiting[handle]?.removeFirst()
    }
}
