// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import PairingTestSupport
import ProcessTestSupport
import Synchronization
import Testing

/// BlueZ as an accessory and our host, bonded. Both can be restarted.
final class BondedFixture: Sendable {
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
    let variant: PairingVariant
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
    init(_ bluez: BlueZ, _ variant: PairingVariant) async throws {
        let store = MemoryStore()
        self.bluez = bluez
        self.variant = variant
        self.store = store
        address = try await bluez.becomeAccessory(io: variant.theirs, serving: Self.services)
        try await bluez.offer(variant.generation)
        let configuration = Self.configuration(variant, store, person, .refuse)
        let recorder = RequestRecorder(of: .ourHost)
        let host = try await bluez.makeHost(configuration, wrapping: recorder.listen(to:))
        current = Mutex(host)
        path = bluez.path(of: await host.identityAddress)
        let fixture = AccessoryFixture(
            bluez: bluez,
            address: address,
            host: host,
            person: person,
            recorder: recorder
        )
        let link = try await fixture.connect()
        _ = try await PairingPeople(fixture, variant).pair(on: link)
        secret = try await link.database().handle(Self.secretUUID)
        bond = try #require(await host.bonds.first)
        try await disconnect(link)
    }

    /// Restarts our host and bluetoothd. BlueZ registers its services and its advertisement again.
    func restart(_ policy: BondLossPolicy = .refuse) async throws {
        await host.shutdown()
        try await bluez.restartDaemon()
        _ = try await bluez.becomeAccessory(io: variant.theirs, serving: Self.services)
        try bluez.line.forgetEvents()
        person.behave(Person.Behavior())
        let configuration = Self.configuration(variant, store, person, policy)
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
        _ variant: PairingVariant,
        _ store: MemoryStore,
        _ person: Person,
        _ policy: BondLossPolicy
    ) -> HostConfiguration {
        var configuration = HostConfiguration()
        configuration.pairing = variant.policy
        configuration.pairingDelegate = person
        configuration.bondLossPolicy = policy
        configuration.store = store
        return configuration
    }
}

/// Gives `body` BlueZ and our host, which have paired as `variant` states and are bonded.
func withBond(
    _ setting: Setting,
    _ scenario: String,
    _ variant: PairingVariant,
    _ body: @escaping @Sendable (BondedFixture) async throws -> Void
) async throws {
    try await withBlueZ(setting, as: .peripheral, scenario) { bluez in
        try await body(try await BondedFixture(bluez, variant))
    }
}
