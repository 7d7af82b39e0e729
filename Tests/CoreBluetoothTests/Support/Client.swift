// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Dispatch
import Foundation
import Testing
import VirtualRadio

import struct BluetoothHost.Link

/// A central that uses a host directly, on the same radio as the phone. It has access to the
/// attributes as the phone sends them.
struct Client: Sendable {
    let host: BluetoothHost
    let link: Link

    /// Discovers a characteristic by its UUID.
    func find(_ uuid: String) async throws -> GATT.Characteristic {
        let wanted = try #require(BluetoothUUID(uuid))
        for service in try await link.discoverServices() {
            let found = try await link.discoverCharacteristics(of: service)
            if let found = found.first(where: { $0.uuid == wanted }) { return found }
        }
        return try #require(nil as GATT.Characteristic?, "there is no \(uuid)")
    }

    /// Returns the error code with which the peer refuses an operation, or `nil` if it succeeds.
    func refusal(of operation: () async throws -> Void) async throws -> ATT.ErrorCode? {
        do {
            try await operation()
            return nil
        } catch GATT.Failure.attribute(let code, _) {
            return code
        }
    }
}

extension Fixture {
    /// The address of the phone that most tests use.
    static let phoneAddress = DeviceAddress(value: 0xC0_0000_0001 | 0xC000_0000_0000, kind: .random)

    /// Creates a peripheral manager on the phone, and records its callbacks.
    func peripheral(
        on adapter: CBAdapter? = nil,
        queue: DispatchQueue? = nil,
        options: [String: Any] = [:]
    ) -> PeripheralRecorder {
        var options = options
        options[CBManagerOptionAdapterKey] = adapter ?? self.adapter
        return PeripheralRecorder(queue: queue ?? DispatchQueue(label: "app"), options: options)
    }

    /// Runs `body` with a host of its own on the same radio.
    func host(
        named name: String = "client",
        number: UInt64 = 0xF1,
        configure: (inout HostConfiguration) -> Void = { _ in },
        _ body: (BluetoothHost) async throws -> Void
    ) async throws {
        let controller = try air.world.addController(
            ControllerConfiguration(name: name, at: Position(x: 0, y: 2))
        )
        var configuration = HostConfiguration()
        configuration.address = DeviceAddress(value: 0xC000_0000_0000 | number, kind: .random)
        configure(&configuration)
        let host = BluetoothHost(
            transport: air.adapter(of: controller),
            configuration: configuration,
            executor: air.executor
        )
        try await host.start()
        do {
            try await body(host)
            await host.shutdown()
        } catch {
            await host.shutdown()
            throw error
        }
    }

    /// Runs `body` with a client that is connected to the phone, which advertises.
    func client(
        number: UInt64 = 0xF1,
        configure: (inout HostConfiguration) -> Void = { _ in },
        _ body: (Client) async throws -> Void
    ) async throws {
        try await host(named: "client \(number)", number: number, configure: configure) { host in
            let link = try await host.connect(to: Self.phoneAddress)
            try await body(Client(host: host, link: link))
        }
    }

    /// Runs `body` with an app on the phone that has published services and advertises.
    func serve(
        _ services: [CBMutableService],
        options: [String: Any] = [:],
        bound: Duration = .seconds(300),
        _ body: @escaping @Sendable (PeripheralRecorder) async throws -> Void
    ) async throws {
        // Safe: the test only reads the services and the options from here on, and any thread may
        // do so.
        nonisolated(unsafe) let services = services
        nonisolated(unsafe) let options = options
        try await run(bound: bound) { [self] in
            let app = peripheral(options: options)
            await app.journal.wait(for: "state poweredOn")
            for service in services { app.manager.add(service) }
            await app.journal.wait(for: "added", count: services.count)
            app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Shop"])
            await app.journal.wait(for: "advertising ok")
            try await body(app)
        }
    }
}

/// The service that most tests publish, with a characteristic of each kind.
enum SampleService {
    static let service = "A000"
    static let fixed = "A001"
    static let dynamic = "A002"
    static let notified = "A003"
    static let indicated = "A004"
    static let other = "A005"
    static let secret = "A006"

    /// Creates the service, and its characteristics by UUID.
    static func make() -> (CBMutableService, [String: CBMutableCharacteristic]) {
        let all = [
            characteristic(fixed, .read, .readable, value: Data([1, 2, 3])),
            characteristic(
                dynamic,
                [.read, .write, .writeWithoutResponse],
                [.readable, .writeable]
            ),
            characteristic(notified, [.read, .notify], .readable),
            characteristic(indicated, .indicate, []),
            characteristic(other, [.read, .write], [.readable, .writeable]),
            characteristic(
                secret,
                [.read, .write, .notify, .notifyEncryptionRequired],
                [.readEncryptionRequired, .writeEncryptionRequired]
            ),
        ]
        let service = CBMutableService(type: CBUUID(string: service), primary: true)
        service.characteristics = all
        return (service, Dictionary(uniqueKeysWithValues: all.map { ($0.uuid.uuidString, $0) }))
    }

    static func characteristic(
        _ uuid: String,
        _ properties: CBCharacteristicProperties,
        _ permissions: CBAttributePermissions,
        value: Data? = nil
    ) -> CBMutableCharacteristic {
        CBMutableCharacteristic(
            type: CBUUID(string: uuid),
            properties: properties,
            value: value,
            permissions: permissions
        )
    }
}
