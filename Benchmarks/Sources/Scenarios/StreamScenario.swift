// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import VirtualRadio

/// A measurement of the virtual radio's throughput in virtual time: one virtual controller sends
/// notifications to another over a link, as fast as the link accepts them. In place of hosts, the
/// scenario sends HCI commands to the controllers.
public final class StreamScenario {
    /// The number of bytes of application data in a notification that fills a Link Layer packet of
    /// 251 bytes: 251 minus 4 for the L2CAP header and 3 for the ATT header.
    public static let notificationLength = 244

    private let world = World(seed: 7)
    private let central: StreamEnd
    private let peripheral: StreamEnd

    /// Creates a link with this interval, in milliseconds, on LE 1M or 2M, with or without
    /// encryption.
    public init(milliseconds: Double, is2M: Bool, isEncrypted: Bool) throws {
        central = try StreamEnd(world, "central")
        peripheral = try StreamEnd(world, "peripheral")
        connect(.microseconds(Int64(milliseconds * 1_000)))
        try tune(is2M: is2M)
        if isEncrypted { try encrypt() }
    }

    /// Streams for a second, and then measures for this duration. Returns the number of bits of
    /// application data that arrived in each second of the measurement.
    public func bitRate(over span: Duration) -> Double {
        peripheral.stream()
        world.run(for: .seconds(1))
        let before = central.byteCount
        world.run(for: span)
        return Double((central.byteCount - before) * 8) / (span / .seconds(1))
    }

    private struct NoLink: Error {}

    private func connect(_ interval: Duration) {
        let advertising = HCI.ScanInterval(.milliseconds(30))
        peripheral.send(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: advertising,
                intervalMaximum: advertising,
                ownAddressType: .public
            )
        )
        peripheral.send(HCI.LESetAdvertisingEnable(isEnabled: true))
        central.send(
            HCI.LECreateConnection(
                scanInterval: HCI.ScanInterval(.milliseconds(60)),
                scanWindow: HCI.ScanInterval(.milliseconds(60)),
                filterPolicy: .peerAddress,
                peerAddress: HCI.PeerAddress(StreamEnd.address("peripheral")),
                ownAddressType: .public,
                parameters: HCI.ConnectionParameters(
                    intervalMinimum: HCI.ConnectionInterval(interval),
                    intervalMaximum: HCI.ConnectionInterval(interval),
                    peripheralLatency: 0,
                    supervisionTimeout: HCI.Timeout(.seconds(4)),
                    eventLengthMinimum: HCI.EventLength(rawValue: 0),
                    eventLengthMaximum: HCI.EventLength(rawValue: 0xFFFF)
                )
            )
        )
        world.run(until: { peripheral.handle != nil && central.handle != nil }, bound: .seconds(5))
    }

    private func tune(is2M: Bool) throws {
        guard let handle = central.handle, let other = peripheral.handle else { throw NoLink() }
        for (end, handle) in [(central, handle), (peripheral, other)] {
            end.send(
                HCI.LESetDataLength(
                    connectionHandle: handle,
                    transmitBytes: 251,
                    transmitTime: HCI.AirTime(.microseconds(2_120))
                )
            )
            world.run(for: .seconds(1))
        }
        guard is2M else { return }
        let preference = HCI.PHYPreference(transmit: .le2M, receive: .le2M)
        central.send(HCI.LESetPHY(connectionHandle: handle, preference: preference))
        world.run(for: .seconds(2))
    }

    private func encrypt() throws {
        guard let handle = central.handle, let key = StreamEnd.key else { throw NoLink() }
        central.send(
            HCI.LEEnableEncryption(
                connectionHandle: handle,
                random: 0,
                encryptedDiversifier: 0,
                longTermKey: key
            )
        )
        world.run(until: { central.isEncrypted && peripheral.isEncrypted }, bound: .seconds(5))
        if !central.isEncrypted { throw NoLink() }
    }
}

/// A small host at one end of the stream.
private final class StreamEnd {
    static let key = HCI.Key128([UInt8](1...16))

    private(set) var handle: ConnectionHandle?
    private(set) var isEncrypted = false
    /// The number of bytes of application data that have arrived.
    private(set) var byteCount = 0
    private let world: World
    private let controller: ControllerID
    private var freeBuffers: Int
    private var isStreaming = false

    static func address(_ name: String) -> DeviceAddress {
        DeviceAddress(value: name == "central" ? 0xC0_FFEE : 0xBEAD, kind: .public)
    }

    init(_ world: World, _ name: String) throws {
        let configuration = ControllerConfiguration(
            name: name,
            publicAddress: Self.address(name)
        )
        let controller = try world.addController(configuration)
        self.world = world
        self.controller = controller
        freeBuffers = configuration.dataPacketCount
        world.attach(controller) { [unowned self] in receive($0) }
        send(HCI.Reset())
        send(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
    }

    func send(_ command: some HCICommand) {
        world.send(HCI.EncodedCommand(command).h4Packet, to: controller)
    }

    func stream() {
        isStreaming = true
        fill()
    }

    private func fill() {
        guard isStreaming, let handle else { return }
        let length = StreamScenario.notificationLength
        let notification: [UInt8] =
            [UInt8(length + 3), 0, 4, 0, 0x1B, 3, 0] + [UInt8](repeating: 7, count: length)
        let packet = HCI.ACLPacket(
            connectionHandle: handle,
            boundary: .firstNonFlushable,
            payload: notification[...]
        )
        while freeBuffers > 0 {
            freeBuffers -= 1
            world.send(packet.h4Bytes, to: controller)
        }
    }

    private func receive(_ bytes: [UInt8]) {
        switch try? HCI.Packet(h4: bytes[...]) {
        case .acl(let packet): byteCount += packet.payload.count - 7
        case .event(let code, let parameters):
            if let event = try? HCI.Event(code: code, parameters: parameters) { receive(event) }
        default: break
        }
    }

    private func receive(_ event: HCI.Event) {
        switch event {
        case .connectionComplete(let event): handle = event.connectionHandle
        case .encryptionChange: isEncrypted = true
        case .longTermKeyRequest(let event):
            guard let key = Self.key else { return }
            send(
                HCI.LELongTermKeyRequestReply(
                    connectionHandle: event.connectionHandle,
                    longTermKey: key
                )
            )
        case .numberOfCompletedPackets(let event):
            freeBuffers += event.completed.reduce(0) { $0 + Int($1.count) }
            fill()
        default: break
        }
    }
}
