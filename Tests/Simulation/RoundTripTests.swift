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
        in home: Household,
        _ phone: BluetoothHost,
        _ body: (Link) async throws -> Void
    ) async throws -> Int {
        let link = try await home.connect(phone)
        _ = home.takeRequests()
        try await body(link)
        let count = home.takeRequests().count
        print("ATT requests to \(task): \(count)")
        // The background requests of a discovery belong to its link.
        try await home.air.sleep(for: .seconds(1))
        try await link.disconnect()
        return count
    }

    @Test("A client reads, writes and subscribes by UUID without a discovery of the services")
    func byUUID() async throws {
        let home = try Household(seed: 1, isBonded: false)
        try await home.run { phone, lamp in
            try await Self.publishServices(on: lamp)
            let read = try await Self.count("read by UUID", in: home, phone) {
                let values = try await $0.read(uuid: Self.value)
                #expect(values.map(\.value) == [[3]])
            }
            #expect(read == 2, "Read By Type, until there are no more")
            let write = try await Self.count("write by UUID", in: home, phone) {
                let found = try await $0.discoverCharacteristics(uuid: Self.value)
                try await $0.write([9], to: #require(found.first))
            }
            #expect(write == 3, "the declarations in two requests, and the write")
            let subscription = try await Self.count("subscribe by UUID", in: home, phone) {
                let found = try await $0.discoverCharacteristics(uuid: Self.value)
                _ = try await $0.subscribe(to: #require(found.first))
            }
            #expect(subscription == 4, "the declarations, the descriptors, and the write")
        }
    }

    @Test("A discovery of the whole database is short, and a known database takes one request")
    func wholeTable() async throws {
        let home = try Household(seed: 2, isBonded: true)
        let store = MemoryStore()
        try await home.run { phone, lamp in
            await phone.shutdown()
            try await Self.publishServices(on: lamp)
            try await home.withPhone(store: store) { phone in
                let discovery = try await Self.count("discover everything", in: home, phone) {
                    _ = try await $0.database()
                }
                #expect(discovery <= 10)
            }
            try await home.withPhone(store: store) { phone in
                let again = try await Self.count("know everything again", in: home, phone) {
                    _ = try await $0.database()
                }
                #expect(again == 1, "the hash of the table")
                let subscription = try await Self.count("subscribe, known", in: home, phone) {
                    let found = try await $0.discoverCharacteristics(uuid: Self.value)
                    _ = try await $0.subscribe(to: #require(found.first))
                }
                #expect(subscription == 2, "the hash of the table, and the write")
            }
        }
    }
}
