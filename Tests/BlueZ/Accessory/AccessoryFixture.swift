// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import ProcessTestSupport
import Testing

/// BlueZ as an advertising accessory, and our host, which is not connected to it yet.
struct AccessoryFixture: Sendable {
    /// The name that BlueZ advertises.
    static let name = "bluez-peer"

    let bluez: BlueZ
    /// The address from which BlueZ advertises.
    let address: DeviceAddress
    let host: BluetoothHost
    /// The user of our host.
    let person: Person
    /// The recorder of our host's requests.
    let recorder: RequestRecorder

    /// Connects as soon as BlueZ advertises.
    func connect(_ host: BluetoothHost? = nil) async throws -> Link {
        try await (host ?? self.host).reach(address)
    }

    /// Ends a link, and waits until BlueZ has noticed the end: Linux cannot handle a new link
    /// earlier.
    func disconnect(_ link: Link) async throws {
        try await link.disconnect()
        try await bluez.isAlone()
    }

    /// Connects, and discovers all services of BlueZ.
    func connectAndExplore() async throws -> (Link, GATT.Database) {
        let link = try await connect()
        return (link, try await link.database())
    }
}

/// Gives `body` BlueZ as an accessory and our host.
///
/// - Parameters:
///   - io: The IO capability of BlueZ's user.
///   - services: The services that BlueZ registers.
///   - configuration: bluetoothd's configuration.
///   - change: A change to our host's default configuration.
func withAccessory(
    _ setting: Setting,
    _ scenario: String,
    io: BlueZ.InputOutput = .noInputNoOutput,
    serving services: [ServedService] = [BlueZTable.service],
    _ configuration: BlueZConfiguration = BlueZConfiguration(),
    _ change: @escaping @Sendable (inout HostConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (AccessoryFixture) async throws -> Void
) async throws {
    try await withBlueZ(setting, as: .peripheral, scenario, configuration) { bluez in
        let address = try await bluez.becomeAccessory(io: io, serving: services)
        let person = Person()
        var configuration = HostConfiguration()
        configuration.pairingDelegate = person
        change(&configuration)
        let recorder = RequestRecorder(of: .ourHost)
        let host = try await bluez.makeHost(configuration, wrapping: recorder.listen(to:))
        try await body(
            AccessoryFixture(
                bluez: bluez,
                address: address,
                host: host,
                person: person,
                recorder: recorder
            )
        )
    }
}

extension BlueZ {
    /// Powers BlueZ on, and registers services and an advertisement. Returns the address from which
    /// BlueZ advertises.
    func becomeAccessory(
        io: InputOutput = .noInputNoOutput,
        serving services: [ServedService] = [BlueZTable.service]
    ) async throws -> DeviceAddress {
        let properties = try await powerOn(io: io, name: AccessoryFixture.name)
        try await serve(services)
        try await advertise(name: AccessoryFixture.name, services: services.prefix(1).map(\.uuid))
        let text = try #require(properties["Address"].text)
        return try #require(DeviceAddress(text, kind: .public))
    }
}

extension GATT.Database {
    /// Returns the handle of the value of the characteristic with this UUID.
    func handle(_ uuid: BluetoothUUID) throws -> AttributeHandle {
        try #require(characteristic(uuid), "there is no \(uuid)").valueHandle
    }

    /// Returns the characteristic with this UUID.
    func find(_ uuid: BluetoothUUID) throws -> GATT.Characteristic {
        try #require(characteristic(uuid), "there is no \(uuid)").characteristic
    }
}
