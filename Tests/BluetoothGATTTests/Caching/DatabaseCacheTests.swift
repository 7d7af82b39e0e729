// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("Cache of GATT databases")
struct DatabaseCacheTests {
    private func address(_ number: Int) -> DeviceAddress {
        DeviceAddress(value: UInt64(number), kind: .public)
    }

    private func record(_ number: Int) throws -> DatabaseRecord {
        let database = try #require(GATT.Database(services: []))
        return DatabaseRecord(database: database, hash: Array(repeating: UInt8(number), count: 16))
    }

    @Test("The databases of different servers are stored separately")
    func apart() throws {
        var cache = DatabaseCache()
        cache.keep(try record(1), of: address(1))
        cache.keep(try record(2), of: address(2))
        #expect(cache.record(of: address(1)) == (try record(1)))
        #expect(cache.record(of: address(2)) == (try record(2)))
        #expect(cache.record(of: DeviceAddress(value: 1, kind: .random)) == nil)
    }

    @Test("A new database replaces the previous one of the same server")
    func replaced() throws {
        var cache = DatabaseCache()
        for number in 1...3 { cache.keep(try record(number), of: address(1)) }
        #expect(cache.record(of: address(1)) == (try record(3)))
        #expect(cache.count == 1)
        cache.forget(address(1))
        cache.forget(address(1))
        #expect(cache.record(of: address(1)) == nil)
        #expect(cache.count == 0)
    }

    @Test("The database that was stored least recently is evicted if the cache is full")
    func bound() throws {
        var cache = DatabaseCache()
        for number in 0..<DatabaseCache.peerLimit {
            #expect(cache.keep(try record(number), of: address(number)) == nil)
        }
        cache.keep(try record(0), of: address(0))
        #expect(cache.keep(try record(99), of: address(99)) == address(1))
        #expect(cache.count == DatabaseCache.peerLimit)
        #expect(cache.record(of: address(0)) != nil)
        #expect(cache.record(of: address(1)) == nil)
    }
}
