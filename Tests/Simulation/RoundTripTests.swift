// SPDX-License-Identifier: Apache-2.0
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import HCITransports
import Testing

import struct BluetoothHost.Link

/// The number of ATT requests of the common tasks of a client, without the MTU exchange of a new
/// link. The server has eight services, six of which have one characteristic each.
@Suite("Round trips of a client, in virtual time")
struct RoundTripTests {
    private static let serviceCount: UInt16 = 6
    private static let value = BluetoothUUID(0xE003)

    private static func publishServices(on lamp: BluetoothHost) async throws {
        for number in 1...serviceCount {
            let characteristic = GATT.CharacteristicDefinition(
                BluetoothUUID(0xE000 + number),
                [.read, .write, .notify],
                value: .stored([UInt8(number)])
            )
            try await lamp.publish(.init(BluetoothUUID(0xD000 + number), [characteristic]))
        }
    }

    /// Runs a task on a new link. Returns the number of requests of the task.
    private static func count(
        _ task: String,
        in harness: HostPairHarness,
        _ phone: BluetoothHost,
        _ body: (Link) async throws -> Void
    ) async throws -> Int {
        let link = try await harness.connect(phone)
        _ = harness.takeRequests()
        try await body(link)
        let count = harness.takeRequests().count
        print("ATT requests to \(task): \(count)")
        // The background requests of a discovery belong to its link.
        try await harness.air.sleep(for: .seconds(1))
        try await link.disconnect()
        return count
    }

    @Test("A client reads, writes and subscribes by UUID without a discovery of the services")
    func byUUID() async throws {
        let harness = try HostPairHarness(seed: 1, isBonded: false)
        try await harness.run { phone, lamp in
            try await Self.publishServices(on: lamp)
            let read = try await Self.count("read by UUID", in: harness, phone) {
                let values = try await $0.read(uuid: Self.value)
                #expect(values.map(\.value) == [[3]])
            }
            #expect(read == 2, "Read By Type, until there are no more")
            let write = try await Self.count("write by UUID", in: harness, phone) {
                let found = try await $0.discoverCharacteristics(uuid: Self.value)
                try await $0.write([9], to: #require(found.first))
            }
            #expect(write == 3, "the declarations in two requests, and the write")
            let subscription = try await Self.count("subscribe by UUID", in: harness, phone) {
                let found = try await $0.discoverCharacteristics(uuid: Self.value)
                _ = try await $0.subscribe(to: #require(found.first))
            }
            #expect(subscription == 4, "the declarations, the descriptors, and the write")
        }
    }

    @Test("A discovery of the whole database takes at most ten requests, and a known one takes one")
    func wholeTable() async throws {
        let harness = try HostPairHarness(seed: 2, isBonded: true)
        let store = MemoryStore()
        try await harness.run { phone, lamp in
            await phone.shutdown()
            try await Self.publishServices(on: lamp)
            try await harness.withPhone(store: store) { phone in
                let discovery = try await Self.count("discover everything", in: harness, phone) {
                    _ = try await $0.database()
                }
                #expect(discovery <= 10)
            }
            try await harness.withPhone(store: store) { phone in
                let again = try await Self.count("know everything again", in: harness, phone) {
                    _ = try await $0.database()
                }
                #expect(again == 1, "the hash of the database")
                let subscription = try await Self.count("subscribe, known", in: harness, phone) {
                    let found = try await $0.discoverCharacteristics(uuid: Self.value)
                    _ = try await $0.subscribe(to: #require(found.first))
                }
                #expect(subscription == 2, "the hash of the database, and the write")
            }
        }
    }
}
