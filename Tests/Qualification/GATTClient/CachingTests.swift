// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// GATT/CL/GAS: a client that stores the server's database (Vol 3, Part G, 2.5.2 and 7).
@Suite struct CachingTests {
    private static let hash = Array(0..<16) as [UInt8]

    /// Returns a database with only the Generic Attribute service: Service Changed, Client
    /// Supported Features and Database Hash.
    private static func database() throws -> GATT.Database {
        func entry(
            _ uuid: BluetoothUUID,
            _ handle: UInt16,
            _ properties: GATT.CharacteristicProperties,
            end: UInt16,
            _ descriptors: [GATT.Descriptor] = []
        ) -> GATT.DiscoveredCharacteristic {
            .init(
                characteristic: .init(
                    uuid: uuid,
                    handle: .init(handle),
                    valueHandle: .init(handle + 1),
                    properties: properties,
                    endHandle: .init(end)
                ),
                descriptors: descriptors
            )
        }
        let service = GATT.Service(
            uuid: 0x1801,
            isPrimary: true,
            handle: 0x0001,
            endHandle: 0x0008
        )
        let characteristics = [
            entry(0x2A05, 0x02, .indicate, end: 0x04, [.init(uuid: 0x2902, handle: 0x0004)]),
            entry(0x2B29, 0x05, [.read, .write], end: 0x06),
            entry(0x2B2A, 0x07, .read, end: 0x08),
        ]
        return try #require(
            GATT.Database(services: [.init(service: service, characteristics: characteristics)])
        )
    }

    private static func record() throws -> DatabaseRecord {
        DatabaseRecord(database: try database(), hash: hash)
    }

    /// Returns the lines of a discovery of `database()`.
    @DialogueBuilder private static func discovery() -> [Line] {
        client(sends: "10 0100 FFFF 0028")
        server(sends: "11 06 0100 0800 0118")
        client(sends: "10 0900 FFFF 0028")
        server(sends: "01 10 0900 0A")
        client(sends: "08 0100 FFFF 0228")
        server(sends: "01 08 0100 0A")
        client(sends: "08 0100 FFFF 0328")
        server(sends: "09 07 0200 20 0300 052A 0500 0A 0600 292B 0700 02 0800 2A2B")
        client(sends: "08 0800 FFFF 0328")
        server(sends: "01 08 0800 0A")
        client(sends: "04 0400 0400")
        server(sends: "05 01 0400 0229")
    }

    @Test("GATT/CL/GAS/BV-01-C: Service Changed on a later connection, with cached handles")
    func serviceChanged() throws {
        let record = try Self.record()
        Dialogue(record: record) {
            server(sends: "1D 0300 0100 FFFF")
            application(
                receives: .notified(0x0003, value: [0x01, 0x00, 0xFF, 0xFF], .indication)
            )
            application(receives: .servicesChanged(0x0001...0xFFFF))
            client(sends: "1E")
        }.play()
    }

    @Test("GATT/CL/GAS/BV-02-C: Reading the Database Hash, and no discovery if it is unchanged")
    func sameHash() throws {
        var record = try Self.record()
        record.isWatched = true
        record.announcedFeatures = 0x07
        Dialogue(record: record) {
            applicationRequestsDatabase(isTrusted: true)
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(0..<16))")
            application(gets: record.database)
            applicationRequestsDatabase(isTrusted: true)
            application(gets: record.database)
        }.play()
    }

    @Test("GATT/CL/GAS/BV-03-C, BV-04-C, BV-05-C: Enabling robust caching and other features")
    func enabling() throws {
        let database = try Self.database()
        Dialogue {
            applicationRequestsDatabase()
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(0..<16))")
            Self.discovery()
            application(gets: database)
            client(sends: "12 0600 07")
            server(sends: "13")
            client(sends: "12 0400 0200")
            server(sends: "13")
            // The hash is compared after the subscription, since the database may have changed
            // before it.
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(0..<16))")
        }.play()
    }

    @Test("A different hash leads to a discovery")
    func otherHash() throws {
        let record = try Self.record()
        Dialogue(record: record) {
            applicationRequestsDatabase(isTrusted: true)
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(16..<32))")
            Self.discovery()
            application(gets: record.database)
            client(sends: "12 0600 07")
            server(sends: "13")
            client(sends: "12 0400 0200")
            server(sends: "13")
            // The hash is compared after the subscription, since the database may have changed
            // before it.
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(16..<32))")
        }.play()
    }

    @Test("Database Out Of Sync is reported, and the hash is read before the next use of handles")
    func outOfSync() throws {
        var record = try Self.record()
        record.isWatched = true
        record.announcedFeatures = 0x07
        Dialogue(record: record) {
            applicationRequestsDatabase(isTrusted: true)
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(0..<16))")
            application(gets: record.database)
            application(asks: .read(0x0006))
            client(sends: "0A 0600")
            server(sends: "01 0A 0600 12")
            operation(endsWith: .failure(.attribute(.databaseOutOfSync, handle: 0x0006)))
            applicationRequestsDatabase(isTrusted: true)
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(16..<32))")
            Self.discovery()
            application(gets: record.database)
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(16..<32))")
        }.play()
    }

    @Test("Database Out Of Sync during a discovery restarts it")
    func outOfSyncInDiscovery() throws {
        let database = try Self.database()
        Dialogue {
            applicationRequestsDatabase()
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "01 08 0100 0A")
            client(sends: "10 0100 FFFF 0028")
            server(sends: "01 10 0100 12")
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(0..<16))")
            Self.discovery()
            application(gets: database)
            client(sends: "12 0600 07")
            server(sends: "01 12 0600 05")
            client(sends: "12 0400 0200")
            server(sends: "01 12 0400 05")
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(0..<16))")
        }.play()
    }

    /// The server may have made a change after the first reading of the hash, and reverted it after
    /// the discovery.
    @Test("A change is discovered although the hash from before the discovery is unchanged")
    func revertedChange() throws {
        let database = try Self.database()
        Dialogue {
            applicationRequestsDatabase()
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(0..<16))")
            Self.discovery()
            application(gets: database)
            client(sends: "12 0600 07")
            server(sends: "13")
            client(sends: "12 0400 0200")
            server(sends: "01 12 0400 12")
            applicationRequestsDatabase()
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(0..<16))")
            Self.discovery()
            application(gets: database)
            client(sends: "12 0400 0200")
            server(sends: "13")
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0800 \(bytes(0..<16))")
        }.play()
    }
}
