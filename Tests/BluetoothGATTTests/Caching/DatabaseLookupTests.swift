// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("Database lookup")
struct DatabaseLookupTests {
    /// Returns the record that an earlier link stored.
    private func earlier(_ server: TableServer, isTrusted: Bool = false) throws -> DatabaseRecord {
        var lookup = Lookup(server)
        try lookup.request(isTrusted: isTrusted)
        return try #require(lookup.record)
    }

    @Test("A database is looked up once for each link")
    func sameLink() throws {
        var lookup = Lookup(CachedAccessory.server())
        try lookup.request()
        let count = lookup.requestCount
        try lookup.request()
        #expect(lookup.requestCount == count)
        #expect(lookup.found.count == 2)
        #expect(Set(lookup.found).count == 1)
    }

    @Test("A lookup announces the client's features and subscribes to Service Changed")
    func preparation() throws {
        var lookup = Lookup(CachedAccessory.server())
        try lookup.request()
        #expect(lookup.pair.server.value(CachedAccessory.featuresHandle) == [0x07])
        #expect(lookup.pair.server.value(CachedAccessory.changedConfiguration) == [2, 0])
        #expect(lookup.lookup.isSubscribed)
        #expect(
            lookup.record?.isWatched == false,
            "A server drops the subscription of a client without a bond"
        )
    }

    @Test("A bonded server with a hash needs one request on the next link")
    func oneRequest() throws {
        let server = CachedAccessory.server()
        var lookup = Lookup(server, record: try earlier(server, isTrusted: true))
        try lookup.request(isTrusted: true)
        #expect(lookup.operations == [.readDatabaseHash])
        #expect(lookup.pair.sent == [[0x08, 0x01, 0x00, 0xFF, 0xFF, 0x2A, 0x2B]])
        #expect(lookup.found == [lookup.record?.database])
    }

    @Test("A server with a hash and without a bond needs one request before the result")
    func unbondedWithHash() throws {
        let server = CachedAccessory.server()
        var lookup = Lookup(server, record: try earlier(server))
        #expect(lookup.lookup.request(isTrusted: false) == [.start(.readDatabaseHash)])
        let actions = lookup.lookup.completed(.success(.value(CachedAccessory.hash)))
        let database = try #require(lookup.record?.database)
        #expect(
            actions == [.found(database), .start(.write(CachedAccessory.featuresHandle, [0x07]))]
        )
    }

    @Test("A different hash leads to a new discovery")
    func otherHash() throws {
        let record = try earlier(CachedAccessory.server())
        var server = CachedAccessory.server(hash: Array(repeating: 9, count: 16))
        server.attributes.removeLast()
        var lookup = Lookup(server, record: record)
        try lookup.request()
        #expect(lookup.found.first?.service(.init(0x180F)) == nil)
        #expect(lookup.record?.hash == Array(repeating: 9, count: 16))
        #expect(lookup.record?.database == lookup.found.first)
        let battery = try #require(record.database.service(.init(0x180F)))
        #expect(lookup.changed == [battery.service.handles])
    }

    @Test("A change that the server has indicated is not reported again")
    func indicatedChange() throws {
        let record = try earlier(CachedAccessory.server())
        var server = CachedAccessory.server(hash: Array(repeating: 9, count: 16))
        server.attributes.removeLast()
        var lookup = Lookup(server, record: record)
        #expect(lookup.lookup.databaseChanged(isIndicated: true) == [])
        try lookup.request()
        #expect(lookup.found.first?.service(.init(0x180F)) == nil)
        #expect(lookup.changed == [])
    }

    @Test("The stored database of a bonded server without a hash is used again")
    func withoutHash() throws {
        let server = CachedAccessory.server(hash: nil)
        let record = try earlier(server, isTrusted: true)
        #expect(record.hash == nil)
        #expect(record.isWatched)
        var lookup = Lookup(server, record: record)
        try lookup.request(isTrusted: true)
        #expect(lookup.operations.isEmpty)
        #expect(lookup.found == [record.database])
    }

    @Test("The database of a server without a hash and without a bond is discovered again")
    func unbondedWithoutHash() throws {
        let server = CachedAccessory.server(hash: nil)
        for isTrustedBefore in [false, true] {
            let record = try earlier(server, isTrusted: isTrustedBefore)
            var lookup = Lookup(server, record: record)
            try lookup.request(isTrusted: false)
            #expect(lookup.operations.contains(.discoverPrimaryServices(uuid: nil)))
        }
    }

    @Test("A change on a server without a hash discards the stored database")
    func forgotten() throws {
        let server = CachedAccessory.server(hash: nil)
        var lookup = Lookup(server, record: try earlier(server, isTrusted: true))
        try lookup.databaseChanged()
        #expect(lookup.record == nil)
        try lookup.request(isTrusted: true)
        #expect(lookup.operations.contains(.discoverPrimaryServices(uuid: nil)))
        #expect(lookup.record != nil)
    }

    @Test("A change on a server with a hash leads to a new comparison")
    func compared() throws {
        var lookup = Lookup(CachedAccessory.server())
        try lookup.request()
        let count = lookup.requestCount
        try lookup.databaseChanged()
        #expect(lookup.lookup.database == nil)
        try lookup.request()
        #expect(lookup.requestCount == count + 1, "The lookup compares the hash again")
        #expect(lookup.found.count == 2)
    }

    @Test("A server without caching characteristics is supported")
    func plainServer() throws {
        var lookup = Lookup(Accessory.server())
        try lookup.request()
        #expect(lookup.found.count == 1)
        #expect(lookup.record?.hash == nil)
        #expect(!lookup.lookup.isSubscribed)
        #expect(lookup.lookup.serviceChanged == nil)
    }

    @Test("A hash of the wrong length counts as no hash")
    func brokenHash() throws {
        var lookup = Lookup(CachedAccessory.server(hash: [1, 2, 3]))
        try lookup.request()
        #expect(lookup.found.count == 1)
        #expect(lookup.record?.hash == nil)
    }
}
