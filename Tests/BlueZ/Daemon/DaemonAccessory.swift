// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import PairingTestSupport
import ProcessTestSupport

/// An accessory of ours on the virtual radio, to which bluetoothd connects for an app.
struct DaemonAccessory: Sendable {
    static let name = "Ours"
    static let service = BluetoothUUID(0xFFE0)
    static let value = BluetoothUUID(0xFFE1)
    static let secret = BluetoothUUID(0xFFE2)
    static let ticker = BluetoothUUID(0xFFE3)

    static let secretValue: [UInt8] = [0x5E, 0xC2]

    private static let included = GATT.ServiceDefinition(
        BluetoothUUID(0xFFD0),
        [.init(BluetoothUUID(0xFFD1), .read, value: .stored([1]))]
    )

    private static let definition = GATT.ServiceDefinition(
        service,
        includes: [.uuid(included.uuid)],
        [
            .init(
                value,
                [.read, .write, .writeWithoutResponse],
                value: .stored([0xCA, 0xFE]),
                descriptors: [.init(BluetoothUUID(0x2901), value: .stored(Array("Value".utf8)))]
            ),
            .init(
                secret,
                .read,
                permissions: .init(read: .encrypted),
                value: .stored(secretValue)
            ),
            .init(ticker, [.read, .notify], value: .stored([0])),
        ]
    )

    let host: BluetoothHost
    /// The user of the accessory.
    let person: Person
    let application: ServerApplication
    let value: AttributeHandle
    let ticker: AttributeHandle

    /// Publishes the service, and advertises.
    init(
        in fixture: KernelFixture,
        named name: String = Self.name,
        _ change: (inout HostConfiguration) -> Void = { _ in }
    ) async throws {
        person = Person()
        var configuration = HostConfiguration()
        configuration.pairingDelegate = person
        change(&configuration)
        host = try await fixture.kernelAir.makeHost(configuration)
        try await host.publish(Self.included)
        let service = try await host.publish(Self.definition)
        value = service.characteristics[0].valueHandle
        ticker = service.characteristics[2].valueHandle
        application = try await ServerApplication(of: host, dynamic: nil)
        let content = AdvertisingContent(localName: name, serviceUUIDs: [Self.service])
        var advertising = Advertising(content)
        advertising.interval = .milliseconds(30) ... .milliseconds(40)
        _ = try await host.advertise(advertising)
    }
}
