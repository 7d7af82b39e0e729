// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import PairingTestSupport
import ProcessTestSupport
import Synchronization
import Testing

/// BlueZ as an accessory and our host, bonded. Both can be restarted.
final class BondedScene: Sendable {
    static let secret = Array("between us".utf8)
    private static let secretUUID = BluetoothUUID(0xFFD1)

    /// The services that BlueZ registers.
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
    /// The D-Bus path of our host's object in BlueZ.
    let path: String
    /// The bond as the pairing created it.
    let bond: BondedPeer
    let address: DeviceAddress
    /// The handle of the value that requires encryption.
    let secret: AttributeHandle
    private let store: MemoryStore
    private let current: Mutex<BluetoothHost>

    /// The host that was started last.
    var host: BluetoothHost { current.withLock { $0 } }

    /// Pairs the two sides, and disconnects.
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
        try await disconnect(link)
    }

    /// Restarts our host and bluetoothd. BlueZ registers its services and its advertisement again.
    func restart(_ policy: BondLossPolicy = .refuse) async throws {
        await host.shutdown()
        try await bluez.restartDaemon()
        _ = try await bluez.becomeAccessory(io: way.theirs, serving: Self.services)
        try bluez.line.forgetEvents()
        person.behave(Person.Behavior())
        let configuration = Self.configuration(way, store, person, policy)
        let new = try await bluez.makeHost(configuration)
        current.withLock { $0 = new }
    }

    func connect() async throws -> Link {
        try await host.reach(address)
    }

    /// Ends a link, and waits until BlueZ has noticed the end.
    func disconnect(_ link: Link) async throws {
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

/// Gives `body` BlueZ and our host, which have paired by `way` and are bonded.
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
