// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import HCITransports
import Testing

import struct BluetoothHost.Link

@testable import BluetoothHost

/// Links that are encrypted with a key that both hosts have, and the stored state of a bonded
/// client.
@Suite("A strap and a phone with a bond, in virtual time")
struct BondTests {
    @Test("Protected values are exchanged on an encrypted link")
    func protectedValues() async throws {
        try await HostServingHarness().run(key: HostServingHarness.key) { session in
            let secret = session.handle(.secret)
            #expect(try await session.toStrap.security.isEncrypted)
            #expect(try await session.toPhone.security.isEncrypted)
            #expect(try await session.toStrap.read(secret) == [42])
            let values = try await session.toStrap.subscribe(to: try await session.find(.secret))
            try await session.toPhone.notify([43], of: secret)
            for try await value in values {
                #expect(value == [43])
                break
            }
        }
    }

    @Test("Encryption fails if one side has no key")
    func missingKey() async throws {
        let harness = try HostServingHarness()
        try await harness.air.run(bound: .seconds(120)) {
            let strap = try await harness.startStrap()
            let phone = try await harness.startPhone(key: HostServingHarness.key)
            let service = try await strap.publish(Strap.definition)
            await #expect(throws: HostError.bondLost) {
                try await harness.connect(strap, phone, service)
            }
            #expect(await phone.bonds.count == 1)
            await phone.shutdown()
            await strap.shutdown()
        }
    }

    @Test("Different keys end the link")
    func differentKeys() async throws {
        let harness = try HostServingHarness()
        let other = HCI.Key128([UInt8](repeating: 9, count: 16))
        try await harness.air.run(bound: .seconds(120)) {
            let strap = try await harness.startStrap(key: other)
            let phone = try await harness.startPhone(key: HostServingHarness.key)
            let service = try await strap.publish(Strap.definition)
            var links = strap.incomingLinks.makeAsyncIterator()
            // The side that cannot decrypt the first packet ends the link. The other side receives
            // nothing more.
            await #expect(throws: HostError.failedToConnect(.connectionTimeout)) {
                try await harness.connect(strap, phone, service)
            }
            let strapsReason = try await #require(await links.next()).ended()
            #expect(strapsReason == .disconnected(.messageIntegrityFailure))
            await phone.shutdown()
            await strap.shutdown()
        }
    }

    @Test("A subscription survives a restart of the strap")
    func restart() async throws {
        let harness = try HostServingHarness()
        let store = MemoryStore()
        try await harness.air.run(bound: .seconds(300)) {
            let phone = try await harness.startPhone(key: HostServingHarness.key)
            let first = try await Self.subscribe(phone, harness, store)
            await first.shutdown()
            let keys = store.contents.keys.map(\.description).sorted()
            #expect(keys.count == 3 && keys[0].hasPrefix("client-"))
            #expect(keys.dropFirst() == ["identity", "secret"])
            let strap = try await harness.startStrap(key: HostServingHarness.key, store: store)
            let service = try await strap.publish(Strap.definition)
            let session = try await harness.connect(strap, phone, service)
            let expected = [session.handle(.stored): GATT.SubscriptionKind.notification]
            #expect(try await session.toPhone.subscriptions == expected)
            try await session.toPhone.notify([1], of: session.handle(.stored))
            await phone.shutdown()
            await strap.shutdown()
        }
    }

    /// Subscribes at a strap, and disconnects without unsubscribing.
    private static func subscribe(
        _ phone: BluetoothHost,
        _ harness: HostServingHarness,
        _ store: MemoryStore
    ) async throws -> BluetoothHost {
        let strap = try await harness.startStrap(key: HostServingHarness.key, store: store)
        let service = try await strap.publish(Strap.definition)
        let session = try await harness.connect(strap, phone, service)
        let configuration = try #require(service.characteristics[0].descriptors.first)
        try await session.toStrap.write([1, 0], to: configuration.handle)
        try await session.toStrap.disconnect()
        return strap
    }

    @Test("A service that was added while the phone was disconnected is found")
    func serviceAdded() async throws {
        let harness = try HostServingHarness()
        try await harness.air.run(bound: .seconds(300)) {
            let strap = try await harness.startStrap(key: HostServingHarness.key)
            let phone = try await harness.startPhone(key: HostServingHarness.key)
            let service = try await strap.publish(Strap.definition)
            let before = try await harness.connect(strap, phone, service)
            let known = try await before.toStrap.database()
            #expect(known.service(BluetoothUUID(0x180F)) == nil)
            try await before.toStrap.disconnect()
            _ = try await before.toPhone.ended()
            try await strap.publish(GATT.ServiceDefinition(BluetoothUUID(0x180F), []))
            let after = try await harness.connect(strap, phone, service)
            let found = try await after.toStrap.database()
            #expect(found.service(BluetoothUUID(0x180F)) != nil)
            await phone.shutdown()
            await strap.shutdown()
        }
    }
}
