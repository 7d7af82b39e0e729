// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import StoreTestSupport
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("Application records")
struct ApplicationRecordTests {
    private func host(_ store: (any HostStore)?) -> BluetoothHost {
        var configuration = HostConfiguration()
        configuration.store = store
        return BluetoothHost(transport: ScriptedTransport(), configuration: configuration)
    }

    private func key(_ name: String) throws -> StoreKey {
        RecordName.application(try #require(ApplicationName(name))).key
    }

    @Test("A record survives a restart of the host until it is removed")
    func restart() async throws {
        let store = MemoryStore()
        let first = host(store)
        #expect(await first.applicationRecord("central-1") == nil)
        for generation in 1...40 {
            await first.storeApplicationRecord([UInt8(generation)], "central-1")
        }
        await first.storeApplicationRecord([], "empty")
        #expect(await first.applicationRecord("central-1") == [40])
        await first.shutdown()
        let second = host(store)
        #expect(
            await second.applicationRecord("central-1") == [40],
            "The store has the last record"
        )
        #expect(await second.applicationRecord("empty") == [])
        await second.storeApplicationRecord(nil, "central-1")
        #expect(await second.applicationRecord("central-1") == nil)
        await second.shutdown()
        #expect(store.load(try key("central-1")) == nil)
    }

    @Test("A record is stored at once, so that it survives a crash")
    func killed() async throws {
        let store = MemoryStore()
        let killed = host(store)
        await killed.storeApplicationRecord([1, 2, 3], "peripheral")
        #expect(await host(store).applicationRecord("peripheral") == [1, 2, 3])
        await killed.shutdown()
    }

    @Test("Without a store, the host keeps a record in memory")
    func withoutStore() async {
        let host = host(nil)
        await host.storeApplicationRecord([7], "a")
        #expect(await host.applicationRecord("a") == [7])
        await host.storeApplicationRecord(nil, "a")
        #expect(await host.applicationRecord("a") == nil)
        await host.shutdown()
    }

    @Test("A damaged or foreign record is set aside and reported", arguments: [false, true])
    func torn(_ isForeign: Bool) async throws {
        let store = MemoryStore()
        let name = try #require(ApplicationName(isForeign ? "another" : "mine"))
        let whole = Record.encode([1, 2, 3], of: name)
        store.save(isForeign ? whole : Array(whole.dropLast()), as: try key("mine"))
        let host = host(store)
        var events = await host.securityEvents().makeAsyncIterator()
        #expect(await host.applicationRecord("mine") == nil)
        guard case .setAside("application-mine", _)? = await events.next() else {
            return #expect(Bool(false), "The record is not reported")
        }
        #expect(store.load(try key("mine")) == nil)
        #expect(await host.storeApplicationRecord([4], "mine"))
        #expect(await host.applicationRecord("mine") == [4])
        await host.shutdown()
    }

    @Test("A record that cannot be read is left unchanged")
    func unreadable() async throws {
        let memory = MemoryStore()
        memory.save([1], as: try key("mine"))
        let host = host(FailingStore(memory, failsToLoad: true))
        #expect(await host.applicationRecord("mine") == nil)
        #expect(memory.load(try key("mine")) == [1])
        await host.shutdown()
    }

    @Test("A record that cannot be written moves to another host of the same device")
    func moved() throws {
        let executor = StepExecutor()
        let shared = SharedStore(FailingStore(toSave: true))
        let hosts = (0..<2).map { _ in
            var configuration = HostConfiguration()
            configuration.store = shared.makeMember()
            return BluetoothHost(
                transport: ModelTransport(),
                configuration: configuration,
                executor: executor
            )
        }
        let found = Mutex<[UInt8]?>(nil)
        for host in hosts { host.execute { $0.beginStart() } }
        hosts[0].execute { host in _ = host.storeApplicationRecord([5], "mine") }
        hosts[1].execute { host in
            let record = host.applicationRecord("mine")
            found.withLock { $0 = record }
        }
        executor.run()
        #expect(found.withLock { $0 } == [5])
    }

    @Test("A record that could not be stored remains in use, and the failure is reported")
    func unwritable() async {
        let host = host(FailingStore(toSave: true))
        var events = await host.securityEvents().makeAsyncIterator()
        #expect(await host.storeApplicationRecord([5], "mine"))
        #expect(await host.applicationRecord("mine") == [5])
        var texts: [String] = []
        while texts.count < 3, case .storeFailed(let text)? = await events.next() {
            texts.append(text)
        }
        #expect(texts.last?.hasPrefix("application-mine: ") == true, "\(texts)")
        await host.shutdown()
    }

    @Test(
        "A record's name has a limited length, and only lowercase letters, digits and hyphens",
        arguments: ["", "Central", "a.b", "a/b", "ü", String(repeating: "a", count: 53)]
    )
    func names(_ name: String) async {
        let store = MemoryStore()
        let host = host(store)
        #expect(await host.storeApplicationRecord([1], name) == false)
        #expect(await host.applicationRecord(name) == nil)
        let longest = String(repeating: "a", count: ApplicationName.lengthLimit)
        #expect(await host.storeApplicationRecord([1], longest))
        #expect(store.contents.keys.map(\.description.utf8.count).max() == StoreKey.lengthLimit)
        await host.shutdown()
    }

    @Test("The length and the number of records are limited across restarts")
    func bounds() async throws {
        let store = MemoryStore()
        let limit = HostCore.applicationRecordLengthLimit
        let first = host(store)
        #expect(await first.storeApplicationRecord([UInt8](repeating: 1, count: limit), "long"))
        #expect(
            await first.storeApplicationRecord([UInt8](repeating: 1, count: limit + 1), "long")
                == false
        )
        let stored = try #require(store.load(try key("long")))
        #expect(stored.count <= FileStore.valueLimit)
        for number in 1..<40 {
            #expect(await first.storeApplicationRecord([1], "record-\(number)"))
        }
        await first.shutdown()
        let second = host(store)
        for number in 40..<HostCore.applicationRecordLimit {
            #expect(await second.storeApplicationRecord([1], "record-\(number)"))
        }
        #expect(await second.storeApplicationRecord([1], "one-more") == false)
        #expect(
            await second.storeApplicationRecord([2], "record-1"),
            "An existing record can change at the limit"
        )
        await second.storeApplicationRecord(nil, "record-2")
        #expect(await second.storeApplicationRecord([1], "one-more"))
        await second.shutdown()
    }
}
