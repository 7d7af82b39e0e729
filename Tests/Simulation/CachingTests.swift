// SPDX-License-Identifier: Apache-2.0
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import HCITransports
import LanyardTestSupport
import Synchronization
import Testing
import VirtualAdapters

import struct BluetoothHost.Link

/// Our client caches the database of our server across links and hosts.
@Suite("Caching of a database, in virtual time")
struct CachingTests {
    private static let readByType: UInt8 = 0x08

    private static func service(_ number: UInt16) -> GATT.ServiceDefinition {
        .init(
            BluetoothUUID(0xD000 + number),
            [
                .init(
                    BluetoothUUID(0xE000 + number),
                    [.read, .write, .notify],
                    value: .stored([UInt8(number)])
                )
            ]
        )
    }

    @Test("A cached database costs one read on the second link", arguments: [true, false])
    func oneRead(isBonded: Bool) async throws {
        let harness = try HostPairHarness(seed: 1, isBonded: isBonded)
        try await harness.run { phone, lamp in
            for number in 1...5 as ClosedRange<UInt16> {
                try await lamp.publish(Self.service(number))
            }
            let first = try await harness.connect(phone)
            let found = try await first.database()
            #expect(found.services.count == 7)
            // The background requests belong to the first link.
            _ = try await first.mtu
            try await harness.air.sleep(for: .seconds(1))
            try await first.disconnect()
            let second = try await harness.connect(phone)
            _ = harness.takeRequests()
            let again = try await second.database()
            #expect(again == found)
            #expect(harness.takeRequests() == [Self.readByType])
            let value = try #require(again.characteristic(BluetoothUUID(0xE003)))
            #expect(try await second.read(value.characteristic) == [3])
            try await second.disconnect()
        }
    }

    @Test(
        "Simultaneous callers get the same database, and a later call on the link sends no request"
    )
    func shared() async throws {
        let harness = try HostPairHarness(seed: 2, isBonded: false)
        try await harness.run { phone, lamp in
            try await lamp.publish(Self.service(1))
            let link = try await harness.connect(phone)
            async let one = link.database()
            async let other = link.database()
            let (left, right) = try await (one, other)
            #expect(left == right)
            try await harness.air.sleep(for: .seconds(1))
            _ = harness.takeRequests()
            #expect(try await link.database() == left)
            #expect(harness.takeRequests() == [])
        }
    }

    @Test("A cached database survives a restart of the host with a bond and a store")
    func restart() async throws {
        let harness = try HostPairHarness(seed: 3, isBonded: true)
        let store = MemoryStore()
        try await harness.run { phone, lamp in
            await phone.shutdown()
            try await lamp.publish(Self.service(1))
            try await harness.withPhone(store: store) { phone in
                let link = try await harness.connect(phone)
                _ = try await link.database()
                try await harness.air.sleep(for: .seconds(1))
                try await link.disconnect()
            }
            let key = try #require(StoreKey("database-random-c00000000002"))
            #expect(store.contents[key] != nil)
            try await harness.withPhone(store: store) { phone in
                let link = try await harness.connect(phone)
                _ = harness.takeRequests()
                _ = try await link.database()
                #expect(harness.takeRequests() == [Self.readByType])
                try await link.disconnect()
            }
        }
    }

    @Test("A bonded phone discovers a database that changed while it was disconnected")
    func changedMeanwhile() async throws {
        let harness = try HostPairHarness(seed: 4, isBonded: true)
        try await harness.run { phone, lamp in
            let old = try await lamp.publish(Self.service(1))
            let first = try await harness.connect(phone)
            #expect(try await first.database().service(BluetoothUUID(0xD001)) != nil)
            try await harness.air.sleep(for: .seconds(1))
            try await first.disconnect()
            try await lamp.unpublish(old)
            try await lamp.publish(Self.service(2))
            let second = try await harness.connect(phone)
            let database = try await second.database()
            #expect(database.service(BluetoothUUID(0xD001)) == nil)
            let value = try #require(database.characteristic(BluetoothUUID(0xE002)))
            #expect(try await second.read(value.characteristic) == [2])
            try await second.disconnect()
        }
    }

    /// In a run with this seed, the lamp changes its database on one link before the phone has
    /// verified it, and indicates another change while the phone discovers the database again.
    private static let changeDuringDiscovery: UInt64 = 2_084_402_099

    /// The phone uses handles only as long as they are valid: it never reads one value in place of
    /// another.
    @Test(
        "A cached database never leads to a wrong value while the database changes",
        arguments: RunSeed.seeds(8) + [changeDuringDiscovery],
        [true, false]
    )
    func frequentChanges(seed: UInt64, isBonded: Bool) async throws {
        let harness = try HostPairHarness(seed: seed, isBonded: isBonded)
        try await harness.run { phone, lamp in
            let changes = Changes()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask(executorPreference: harness.air.executor.taskExecutor) {
                    defer { changes.areOver.withLock { $0 = true } }
                    try await Self.change(lamp, harness.air, seed: seed)
                }
                group.addTask(executorPreference: harness.air.executor.taskExecutor) {
                    while !changes.areOver.withLock({ $0 }) {
                        _ = try await Self.visit(phone, harness)
                    }
                }
                try await group.waitForAll()
            }
            try await lamp.publish(Self.service(Self.lastNumber))
            #expect(try await Self.visit(phone, harness) > 0, "the phone reads the last service")
        }
    }

    /// The number of the service that is published after all changes.
    private static let lastNumber: UInt16 = 10

    /// Publishes services and removes them.
    private static func change(
        _ lamp: BluetoothHost,
        _ air: SimulatedAir,
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        var published: [GATT.DiscoveredService] = []
        for _ in 0..<20 {
            if published.count < 5, Bool.random(using: &random) {
                let number = UInt16.random(in: 1..<lastNumber, using: &random)
                published.append(try await lamp.publish(service(number)))
            } else if let index = published.indices.randomElement(using: &random) {
                try await lamp.unpublish(published.remove(at: index))
            }
            try await air.sleep(for: .milliseconds(Int.random(in: 1...800, using: &random)))
        }
    }

    /// Reads all values in the database ten times on one link. Returns how often the value of the
    /// last service was read.
    private static func visit(_ phone: BluetoothHost, _ harness: HostPairHarness) async throws
        -> Int
    {
        var lastReads = 0
        let link = try await harness.connect(phone)
        for _ in 0..<10 {
            do {
                for entry in try await link.database().characteristics {
                    guard let number = entry.characteristic.uuid.short16, number >= 0xE000
                    else { continue }
                    let value = try await link.read(entry.valueHandle)
                    #expect(value == [UInt8(number - 0xE000)])
                    if number == 0xE000 + lastNumber { lastReads += 1 }
                }
            } catch GATT.Failure.attribute(.databaseOutOfSync, _) {
                continue
            }
            try await harness.air.sleep(for: .milliseconds(50))
        }
        try await link.disconnect()
        return lastReads
    }
}

/// The state of the changes to the database.
private final class Changes: Sendable {
    let areOver = Mutex(false)
}
