// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

@testable import BluetoothHost

/// Two of our hosts on a virtual radio with invariant checkers: a strap that serves and advertises,
/// and a phone that connects to it.
final class HostServingHarness: Sendable {
    static let strap = DeviceAddress(value: 0xC000_0000_0001, kind: .random)
    static let phone = DeviceAddress(value: 0xC000_0000_0002, kind: .random)
    static let key = HCI.Key128((1...16).map { UInt8($0) })

    let air: SimulatedAir
    let strapController: ControllerID
    let phoneController: ControllerID

    init(seed: UInt64 = 1) throws {
        air = SimulatedAir(seed: seed)
        air.world.watchInvariants()
        strapController = try air.world.addController(ControllerConfiguration(name: "strap"))
        phoneController = try air.world.addController(
            ControllerConfiguration(name: "phone", at: Position(x: 2, y: 0))
        )
    }

    /// Returns a started strap. It is bonded with the phone if there is a key.
    func startStrap(
        _ configuration: HostConfiguration = HostConfiguration(),
        key: HCI.Key128? = nil,
        store: (any HostStore)? = nil
    ) async throws -> BluetoothHost {
        var configuration = configuration
        configuration.store = store
        return try await start(strapController, Self.strap, Self.phone, key, configuration)
    }

    /// Returns a started phone.
    func startPhone(
        _ configuration: HostConfiguration = HostConfiguration(),
        key: HCI.Key128? = nil
    ) async throws -> BluetoothHost {
        try await start(phoneController, Self.phone, Self.strap, key, configuration)
    }

    private func start(
        _ controller: ControllerID,
        _ address: DeviceAddress,
        _ peer: DeviceAddress,
        _ key: HCI.Key128?,
        _ configuration: HostConfiguration
    ) async throws -> BluetoothHost {
        var configuration = configuration
        configuration.address = address
        configuration.bonds = key.map { [Bond(peer: peer, longTermKey: $0)] } ?? []
        let host = BluetoothHost(
            transport: air.adapter(of: controller),
            configuration: configuration,
            executor: air.executor
        )
        try await host.start()
        return host
    }

    /// Runs a body with both hosts, the strap's services, and both ends of a link between the
    /// hosts.
    func run(
        key: HCI.Key128? = nil,
        bound: Duration = .seconds(300),
        _ body: @escaping @Sendable (Session) async throws -> Void
    ) async throws {
        try await air.run(bound: bound) { [self] in
            let strap = try await startStrap(key: key)
            let phone = try await startPhone(key: key)
            let service = try await strap.publish(Strap.definition)
            let session = try await connect(strap, phone, service)
            try await body(session)
            await phone.shutdown()
            await strap.shutdown()
        }
        air.world.finishWatching()
        #expect(air.world.violations.isEmpty, "\(air.world)")
    }

    /// Makes the strap advertise and the phone connect.
    func connect(
        _ strap: BluetoothHost,
        _ phone: BluetoothHost,
        _ service: GATT.DiscoveredService
    ) async throws -> Session {
        let set = try await strap.advertise(Advertising())
        let link = try await phone.connect(to: Self.strap)
        await set.stop()
        let incoming = try #require(await strap.links.first)
        return Session(
            strap: strap,
            phone: phone,
            service: service,
            toStrap: link,
            toPhone: incoming
        )
    }
}

/// Two hosts with a link between them.
struct Session: Sendable {
    let strap: BluetoothHost
    let phone: BluetoothHost
    let service: GATT.DiscoveredService
    /// The phone's end of the link.
    let toStrap: Link
    /// The strap's end of the link.
    let toPhone: Link

    /// Returns the handle of a value.
    func handle(_ value: Strap) -> AttributeHandle {
        service.characteristics[value.rawValue].valueHandle
    }

    /// Returns the characteristic of a value, as the phone discovers it.
    func find(_ value: Strap) async throws -> GATT.Characteristic {
        for service in try await toStrap.discoverServices(uuid: Strap.definition.uuid) {
            for found in try await toStrap.discoverCharacteristics(of: service)
            where found.valueHandle == handle(value) { return found }
        }
        throw NotFound()
    }

    struct NotFound: Error {}
}

/// The values that the strap serves.
enum Strap: Int {
    case stored, asked, indicated, secret

    static let definition = GATT.ServiceDefinition(
        BluetoothUUID(0x180D),
        [
            .init(
                BluetoothUUID(0x2A37),
                [.read, .write, .notify],
                value: .stored([UInt8](repeating: 5, count: 300))
            ),
            .init(BluetoothUUID(0x2A38), [.read, .write, .writeWithoutResponse]),
            .init(BluetoothUUID(0x2A39), [.read, .indicate], value: .stored([1])),
            .init(
                BluetoothUUID(0x2A8D),
                [.read, .write, .notify],
                permissions: .init(read: .encrypted, write: .encrypted),
                value: .stored([42])
            ),
        ]
    )
}
