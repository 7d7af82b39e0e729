// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// Lookups that are disturbed by other events. The test acts as the client.
@Suite("Events during a database lookup")
struct DatabaseChangeTests {
    private static let outOfSync = GATT.Failure.attribute(
        .databaseOutOfSync,
        handle: .init(1)
    )
    private static let services = GATT.Operation.discoverPrimaryServices(uuid: nil)

    /// Returns a lookup that is reading the hash.
    private func begun() -> DatabaseLookup {
        var lookup = DatabaseLookup()
        #expect(lookup.request(isTrusted: false) == [.start(.readDatabaseHash)])
        return lookup
    }

    @Test("Requests during a lookup share its result")
    func shared() {
        var lookup = begun()
        #expect(lookup.request(isTrusted: false) == [])
        let actions = lookup.completed(.success(.value(CachedAccessory.hash)))
        #expect(actions == [.start(Self.services)])
        #expect(lookup.request(isTrusted: false) == [])
        #expect(lookup.isSearching)
    }

    @Test("A lookup restarts if the database changes", arguments: [true, false])
    func changed(byIndication: Bool) {
        var lookup = begun()
        _ = lookup.completed(.success(.value(CachedAccessory.hash)))
        if byIndication { #expect(lookup.databaseChanged() == []) }
        let result: Result<GATT.Outcome, GATT.Failure> =
            byIndication ? .success(.services([])) : .failure(Self.outOfSync)
        #expect(lookup.completed(result) == [.start(.readDatabaseHash)])
    }

    @Test("An unknown indication restarts only the first search of a bonded server's database")
    func unknownIndication() {
        let change: ArraySlice<UInt8> = [1, 0, 9, 0]
        #expect(!begun().mayBeChange(change), "the server is not bonded")
        var lookup = DatabaseLookup()
        #expect(!lookup.mayBeChange(change), "no search is under way")
        _ = lookup.request(isTrusted: true)
        #expect(lookup.mayBeChange(change))
        #expect(!lookup.mayBeChange(change.dropLast()), "the length is another")
        _ = lookup.databaseChanged()
        _ = lookup.completed(.success(.value(CachedAccessory.hash)))
        #expect(lookup.isSearching)
        #expect(!lookup.mayBeChange(change), "the search has begun again")
    }

    @Test("A lookup discards a hash that was read before the change")
    func staleHash() {
        var lookup = begun()
        #expect(lookup.databaseChanged() == [])
        let hash = Result<GATT.Outcome, GATT.Failure>.success(.value(CachedAccessory.hash))
        #expect(lookup.completed(hash) == [.start(.readDatabaseHash)])
        #expect(lookup.completed(hash) == [.start(Self.services)])
    }

    @Test("A lookup fails if the database keeps changing")
    func restless() {
        var lookup = begun()
        for _ in 0..<DatabaseLookup.restartLimit {
            #expect(lookup.completed(.failure(Self.outOfSync)) == [.start(.readDatabaseHash)])
        }
        let failure = GATT.Failure.attribute(.databaseOutOfSync, handle: .invalid)
        #expect(lookup.completed(.failure(Self.outOfSync)) == [.failed(failure)])
        #expect(!lookup.isSearching)
        #expect(
            lookup.request(isTrusted: false) == [.start(.readDatabaseHash)],
            "The lookup starts a new attempt"
        )
    }

    @Test(
        "A lookup fails with the failure of the link",
        arguments: [.timedOut, .bearerClosed, .cancelled, .queueFull] as [GATT.Failure]
    )
    func linkFailed(_ failure: GATT.Failure) {
        var lookup = begun()
        #expect(lookup.completed(.failure(failure)) == [.failed(failure)])
        #expect(lookup.database == nil)
        #expect(!lookup.isSearching)
    }

    @Test(
        "A lookup discovers the database if the hash is refused",
        arguments: [0x02, 0x05, 0x06, 0x0A] as [UInt8]
    )
    func refusedHash(_ code: UInt8) {
        var lookup = begun()
        let refusal = GATT.Failure.attribute(.init(rawValue: code), handle: .init(1))
        #expect(lookup.completed(.failure(refusal)) == [.start(Self.services)])
    }

    @Test("The client announces its features once, even if the server refuses them")
    func refusedPreparation() throws {
        var link = Lookup(CachedAccessory.server())
        try link.request()
        let record = try #require(link.record)
        var lookup = DatabaseLookup(record: record)
        _ = lookup.request(isTrusted: true)
        let refusal = Result<GATT.Outcome, GATT.Failure>.failure(
            .attribute(.insufficientEncryption, handle: .init(11))
        )
        let hash = Result<GATT.Outcome, GATT.Failure>.success(.value(CachedAccessory.hash))
        #expect(lookup.completed(hash).count == 2)
        let subscription = GATT.Operation.subscribe(
            valueHandle: CachedAccessory.changedHandle,
            descriptor: CachedAccessory.changedConfiguration,
            .indication
        )
        #expect(lookup.completed(refusal) == [.start(subscription)])
        #expect(lookup.completed(refusal) == [])
        #expect(!lookup.isSubscribed)
        #expect(lookup.request(isTrusted: true) == [.found(record.database)])
    }

    @Test("A change while the client announces its features waits for the current operation")
    func changedDuringPreparation() throws {
        var link = Lookup(CachedAccessory.server())
        try link.request()
        var lookup = DatabaseLookup(record: link.record)
        _ = lookup.request(isTrusted: false)
        _ = lookup.completed(.success(.value(CachedAccessory.hash)))
        #expect(lookup.databaseChanged() == [])
        #expect(lookup.request(isTrusted: false) == [], "A write is in progress")
        #expect(lookup.completed(.success(.done)) == [.start(.readDatabaseHash)])
    }

    @Test("If the server refuses the features as out of sync, the next lookup announces them again")
    func outOfSyncPreparation() throws {
        var link = Lookup(CachedAccessory.server())
        try link.request()
        var lookup = DatabaseLookup(record: link.record)
        _ = lookup.request(isTrusted: false)
        let hash = Result<GATT.Outcome, GATT.Failure>.success(.value(CachedAccessory.hash))
        _ = lookup.completed(hash)
        for _ in 0..<3 {
            // The owner of the lookup reports the change first.
            _ = lookup.databaseChanged()
            #expect(lookup.completed(.failure(Self.outOfSync)) == [.outdated])
            #expect(lookup.isOutOfSync)
            #expect(lookup.request(isTrusted: false) == [.start(.readDatabaseHash)])
            let write = GATT.Operation.write(CachedAccessory.featuresHandle, [0x07])
            #expect(lookup.completed(hash).last == .start(write))
        }
    }

    private static let subscription = GATT.Operation.subscribe(
        valueHandle: CachedAccessory.changedHandle,
        descriptor: CachedAccessory.changedConfiguration,
        .indication
    )

    @Test("Without a hash, the client subscribes before it returns the database")
    func subscriptionFirst() throws {
        var link = Lookup(CachedAccessory.server(hash: nil))
        try link.request()
        let count = try #require(link.operationCountAtFirstAnswer)
        #expect(link.operations[count - 1] == Self.subscription)
        #expect(link.operations.count(where: { $0 == Self.subscription }) == 1)
        #expect(link.operations.count(where: { $0 == .readDatabaseHash }) == 1)
    }

    @Test("With a hash, the client returns the database, subscribes, and compares the hash")
    func comparison() throws {
        var link = Lookup(CachedAccessory.server())
        try link.request()
        let count = try #require(link.operationCountAtFirstAnswer)
        let write = GATT.Operation.write(CachedAccessory.featuresHandle, [0x07])
        #expect(link.operations[count...] == [write, Self.subscription, .readDatabaseHash])
        #expect(link.outdatedCount == 0 && link.lookup.database != nil)
    }

    @Test("A change before the subscription is reported")
    func changedBeforeSubscription() throws {
        var link = Lookup(CachedAccessory.server())
        try link.request()
        var lookup = DatabaseLookup(record: link.record)
        _ = lookup.request(isTrusted: false)
        let hash = Result<GATT.Outcome, GATT.Failure>.success(.value(CachedAccessory.hash))
        _ = lookup.completed(hash)
        #expect(lookup.completed(.success(.done)) == [.start(Self.subscription)])
        #expect(lookup.completed(.success(.done)) == [.start(.readDatabaseHash)])
        let other = Array(repeating: 1, count: 16) as [UInt8]
        #expect(lookup.completed(.success(.value(other))) == [.outdated])
        #expect(lookup.isOutOfSync)
        #expect(lookup.request(isTrusted: false) == [.start(.readDatabaseHash)])
        #expect(lookup.completed(.success(.value(other))) == [.start(Self.services)])
    }

    @Test("A lookup without a hash fails if the subscription is repeatedly out of sync")
    func refusedSubscription() throws {
        let server = CachedAccessory.server(hash: nil)
        var lookup = DatabaseLookup()
        var pair = Pair(server)
        var actions = lookup.request(isTrusted: false)[...]
        var subscriptionCount = 0
        var failures: [GATT.Failure] = []
        while let action = actions.popFirst() {
            switch action {
            case .start(Self.subscription):
                subscriptionCount += 1
                _ = lookup.databaseChanged()
                actions += lookup.completed(.failure(Self.outOfSync))
            case .start(let operation): actions += lookup.completed(try pair.run(operation))
            case .failed(let failure): failures.append(failure)
            case .found: Issue.record("The lookup uses a database that has changed")
            case .changed, .keep, .forget, .outdated: break
            }
        }
        #expect(subscriptionCount == DatabaseLookup.restartLimit + 1)
        #expect(failures == [.attribute(.databaseOutOfSync, handle: .invalid)])
    }

    @Test("The features announced to a bonded server are kept when its database changes")
    func inherited() throws {
        var first = Lookup(CachedAccessory.server())
        try first.request(isTrusted: true)
        #expect(first.record?.isWatched == true)
        #expect(first.record?.announcedFeatures == 0x07)
        let server = CachedAccessory.server(hash: Array(repeating: 1, count: 16))
        var second = Lookup(server, record: first.record)
        try second.request(isTrusted: true)
        #expect(second.record?.isWatched == true)
        let isWrite = { (operation: GATT.Operation) in
            if case .write = operation { true } else { false }
        }
        #expect(!second.operations.contains(where: isWrite))
    }
}
