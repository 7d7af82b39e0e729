// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import ProcessTestSupport
import Testing

/// BlueZ as an accessory that advertises, and our host, which has yet to meet it.
struct AccessoryScene: Sendable {
    /// What BlueZ calls itself on the air.
    static let name = "bluez-peer"

    let bluez: BlueZ
    /// The address under which BlueZ is on the air.
    let address: DeviceAddress
    let host: BluetoothHost
    /// Who answers for the person in front of our host.
    let person: Person
    /// Who listens to what our host asks for.
    let recorder: RequestRecorder

    /// Connects as soon as BlueZ is on the air.
    func connect(_ host: BluetoothHost? = nil) async throws -> Link {
        try await (host ?? self.host).reach(address)
    }

    /// Ends a link, and waits until BlueZ, too, knows of that: a new one before is too early for Linux.
    func part(_ link: Link) async throws {
        try await link.disconnect()
        try await bluez.isAlone()
    }

    /// Connects, and finds all that BlueZ serves.
    func visit() async throws -> (Link, GATT.Database) {
        let link = try await connect()
        return (link, try await link.database())
    }
}

/// Gives `body` BlueZ as an accessory and a host of ours.
///
/// - Parameters:
///   - io: what BlueZ's user can do.
///   - services: what BlueZ serves.
///   - configuration: what bluetoothd reads.
///   - change: what our host is like, other than by default.
func withAccessory(
    _ setting: Setting,
    _ scenario: String,
    io: BlueZ.InputOutput = .noInputNoOutput,
    serving services: [ServedService] = [Exhibition.service],
    _ configuration: BlueZConfiguration = BlueZConfiguration(),
    _ change: @escaping @Sendable (inout HostConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (AccessoryScene) async throws -> Void
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
            AccessoryScene(
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
    /// Powers BlueZ, has it serve and advertise; the address under which it does.
    func becomeAccessory(
        io: InputOutput = .noInputNoOutput,
        serving services: [ServedService] = [Exhibition.service]
    ) async throws -> DeviceAddress {
        let properties = try await powerOn(io: io, name: AccessoryScene.name)
        try await serve(services)
        try await advertise(name: AccessoryScene.name, services: services.prefix(1).map(\.uuid))
        let text = try #require(properties["Address"].text)
        return try #require(DeviceAddress(text, kind: .public))
    }
}

extension GATT.Database {
    /// The handle of the value of the only characteristic of that kind.
    func handle(_ uuid: BluetoothUUID) throws -> AttributeHandle {
        try #require(characteristic(uuid), "there is no \(uuid)").valueHandle
    }

    /// The only characteristic of that kind.
    func find(_ uuid: BluetoothUUID) throws -> GATT.Characteristic {
        try #require(characteristic(uuid), "there is no \(uuid)").characteristic
    }
}
