// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import PairingTestSupport
import ProcessTestSupport
import Synchronization
import Testing

/// BlueZ as an accessory and our host, bonded; both can be started again.
final class BondedScene: Sendable {
    static let secret = Array("between us".utf8)
    private static let secretUUID = BluetoothUUID(0xFFD1)

    /// What BlueZ serves.
    private static let services = [
        ServedService(
            uuid: BluetoothUUID(0xFFD0),
            characteristics: [
                ServedCharacteristic(uuid: secretUUID, flags: ["encrypt-read"], value: secret)
            ]
        )
    ]

    let bluez: BlueZ
    let way: PairingWay
    let person = Person()
    /// Where BlueZ has our host.
    let path: String
    /// As it was when the two were paired.
    let bond: BondedPeer
    let address: DeviceAddress
    /// The handle of what is shown on encrypted links only.
    let secret: AttributeHandle
    private let store: MemoryStore
    private let current: Mutex<BluetoothHost>

    /// The host as it was started last.
    var host: BluetoothHost { current.withLock { $0 } }

    /// Pairs the two, and parts.
    init(_ bluez: BlueZ, _ way: PairingWay) async throws {
        let store = MemoryStore()
        self.bluez = bluez
        self.way = way
        self.store = store
        address = try await bluez.becomeAccessory(io: way.theirs, serving: Self.services)
        try await bluez.offer(way.generation)
        let configuration = Self.configuration(way, store, person, .refuse)
        let recorder = RequestRecorder(of: .ourHost)
        let host = try await bluez.makeHost(configuration, wrapping: recorder.listen(to:))
        current = Mutex(host)
        path = bluez.path(of: await host.identityAddress)
        let scene = AccessoryScene(
            bluez: bluez,
            address: address,
            host: host,
            person: person,
            recorder: recorder
        )
        let link = try await scene.connect()
        _ = try await PairingPeople(scene, way).pair(on: link)
        secret = try await link.database().handle(Self.secretUUID)
        bond = try #require(await host.bonds.first)
        try await part(link)
    }

    /// Starts our host and bluetoothd again, and BlueZ serves and advertises what it did.
    func restart(_ policy: BondLossPolicy = .refuse) async throws {
        await host.shutdown()
        try await bluez.restartDaemon()
        _ = try await bluez.becomeAccessory(io: way.theirs, serving: Self.services)
        try bluez.line.forgetEvents()
        person.behave(Person.Manner())
        let configuration = Self.configuration(way, store, person, policy)
        let new = try await bluez.makeHost(configuration)
        current.withLock { $0 = new }
    }

    func connect() async throws -> Link {
        try await host.reach(address)
    }

    /// Ends a link, and waits until BlueZ, too, knows of that.
    func part(_ link: Link) async throws {
        try await link.disconnect()
        try await bluez.isAlone()
    }

    private static func configuration(
        _ way: PairingWay,
        _ store: MemoryStore,
        _ person: Person,
        _ policy: BondLossPolicy
    ) -> HostConfiguration {
        var configuration = HostConfiguration()
        configuration.pairing = way.policy
        configuration.pairingDelegate = person
        configuration.bondLossPolicy = policy
        configuration.store = store
        return configuration
    }
}

/// Gives `body` BlueZ and our host, bonded in that way.
func withBond(
    _ setting: Setting,
    _ scenario: String,
    _ way: PairingWay,
    _ body: @escaping @Sendable (BondedScene) async throws -> Void
) async throws {
    try await withBlueZ(setting, as: .peripheral, scenario) { bluez in
        try await body(try await BondedScene(bluez, way))
    }
}
