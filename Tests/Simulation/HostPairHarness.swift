// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothGATT
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import HCITransports
import Synchronization
import Testing
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

/// A lamp and a phone, both with our host, on a virtual radio, with a record of the phone's
/// requests.
final class HostPairHarness: Sendable {
    static let phoneAddress = DeviceAddress(value: 0xC000_0000_0001, kind: .random)
    static let lampAddress = DeviceAddress(value: 0xC000_0000_0002, kind: .random)

    let air: SimulatedAir
    private let phone: VirtualTransport
    private let lamp: VirtualTransport
    private let isBonded: Bool
    private let requests = RequestRecord()

    init(seed: UInt64, isBonded: Bool) throws {
        air = SimulatedAir(seed: seed)
        self.isBonded = isBonded
        air.world.watchInvariants()
        phone = try air.addAdapter(ControllerConfiguration(name: "phone"))
        let controller = try air.world.addController(
            ControllerConfiguration(name: "lamp", at: Position(x: 2, y: 0))
        )
        lamp = air.adapter(of: controller)
        air.world.observe { [requests] packet in
            guard packet.controller == controller, packet.direction == .toHost,
                let opcode = Self.request(packet.bytes)
            else { return }
            requests.opcodes.withLock { $0.append(opcode) }
        }
    }

    /// Returns the opcodes of the requests that the lamp has received since the last call.
    func takeRequests() -> [UInt8] {
        requests.opcodes.withLock { opcodes in
            defer { opcodes = [] }
            return opcodes
        }
    }

    /// Returns the opcode, if the packet is the beginning of an ATT request: H4, ACL, L2CAP, PDU.
    /// Requests have even opcodes, and so do commands, which have bit 6 set as well. An MTU
    /// exchange does not count.
    private static func request(_ packet: [UInt8]) -> UInt8? {
        guard packet.count > 9, packet[0] == 0x02, packet[2] & 0x30 == 0x20,
            packet[7] == 0x04, packet[8] == 0x00
        else { return nil }
        let opcode = packet[9]
        let isRequest = opcode.isMultiple(of: 2) && opcode & 0x40 == 0 && opcode != 0x1E
        return isRequest && opcode != 0x02 ? opcode : nil
    }

    /// Starts both hosts, runs the body, and shuts them down. The lamp advertises.
    func run(
        bound: Duration = .seconds(120),
        _ body:
            @escaping @Sendable (_ phone: BluetoothHost, _ lamp: BluetoothHost) async throws ->
            Void
    ) async throws {
        try await air.run(bound: bound) { [self] in
            let lampHost = host(lamp, Self.lampAddress, bondedWith: Self.phoneAddress)
            try await lampHost.start()
            _ = try await lampHost.advertise(Advertising(AdvertisingContent(localName: "Lamp")))
            try await withPhone { try await body($0, lampHost) }
            await lampHost.shutdown()
        }
        air.world.finishWatching()
        #expect(air.world.violations.isEmpty, "\(air.world)")
    }

    /// Starts the phone, runs the body, and shuts the phone down. The phone uses `store` if it is
    /// not `nil`.
    func withPhone(
        store: (any HostStore)? = nil,
        _ body: @Sendable (BluetoothHost) async throws -> Void
    ) async throws {
        let host = host(phone, Self.phoneAddress, bondedWith: Self.lampAddress, store)
        try await host.start()
        do {
            try await body(host)
        } catch {
            await host.shutdown()
            throw error
        }
        await host.shutdown()
    }

    private func host(
        _ transport: VirtualTransport,
        _ address: DeviceAddress,
        bondedWith peer: DeviceAddress,
        _ store: (any HostStore)? = nil
    ) -> BluetoothHost {
        var configuration = HostConfiguration()
        configuration.address = address
        configuration.store = store
        if isBonded, let key = HCI.Key128(Array(0..<16)) {
            configuration.bonds = [Bond(peer: peer, longTermKey: key)]
        }
        return BluetoothHost(
            transport: transport,
            configuration: configuration,
            executor: air.executor
        )
    }

    /// Connects, which encrypts the link if there is a key.
    func connect(_ phone: BluetoothHost) async throws -> Link {
        try await phone.connect(to: Self.lampAddress)
    }
}

private final class RequestRecord: Sendable {
    let opcodes = Mutex<[UInt8]>([])
}
