// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// What a lookup does when something happens while it looks. The test plays the client.
@Suite("A lookup of a table")
struct DatabaseChangeTests {
    private static let outOfSync = GATT.Failure.attribute(
        .databaseOutOfSync,
        handle: .init(1)
    )
    private static let services = GATT.Operation.discoverPrimaryServices(uuid: nil)

    /// A lookup that reads the hash.
    private func begun() -> DatabaseLookup {
        var lookup = DatabaseLookup()
        #expect(lookup.want(isTrusted: false) == [.start(.readDatabaseHash)])
        return lookup
    }

    @Test("is shared by all who ask while it is under way")
    func shared() {
        var lookup = begun()
        #expect(lookup.want(isTrusted: false) == [])
        let actions = lookup.completed(.success(.value(CachedAccessory.hash)))
        #expect(actions == [.start(Self.services)])
        #expect(lookup.want(isTrusted: false) == [])
        #expect(lookup.isLooking)
    }

    @Test("begins anew if the table changes meanwhile", arguments: [true, false])
    func changed(byIndication: Bool) {
        var lookup = begun()
        _ = lookup.completed(.success(.value(CachedAccessory.hash)))
        if byIndication { #expect(lookup.databaseChanged() == []) }
        let result: Result<GATT.Outcome, GATT.Failure> =
            byIndication ? .success(.services([])) : .failure(Self.outOfSync)
        #expect(lookup.completed(result) == [.start(.readDatabaseHash)])
    }

    @Test("does not believe a hash that was read before the change was told")
    func staleHash() {
        var lookup = begun()
        #expect(lookup.databaseChanged() == [])
        let hash = Result<GATT.Outcome, GATT.Failure>.success(.value(CachedAccessory.hash))
        #expect(lookup.completed(hash) == [.start(.readDatabaseHash)])
        #expect(lookup.completed(hash) == [.start(Self.services)])
    }

    @Test("gives up on a table that never rests")
    func restless() {
        var lookup = begun()
        for _ in 0..<DatabaseLookup.restartLimit {
            #expect(lookup.completed(.failure(Self.outOfSync)) == [.start(.readDatabaseHash)])
        }
        let failure = GATT.Failure.attribute(.databaseOutOfSync, handle: .invalid)
        #expect(lookup.completed(.failure(Self.outOfSync)) == [.failed(failure)])
        #expect(!lookup.isLooking)
        #expect(lookup.want(isTrusted: false) == [.start(.readDatabaseHash)], "a new attempt")
    }

    @Test(
        "fails with what the link failed with",
        arguments: [.timedOut, .bearerClosed, .cancelled, .queueFull] as [GATT.Failure]
    )
    func linkFailed(_ failure: GATT.Failure) {
        var lookup = begun()
        #expect(lookup.completed(.failure(failure)) == [.failed(failure)])
        #expect(lookup.database == nil)
        #expect(!lookup.isLooking)
    }

    @Test("discovers where the hash is refused", arguments: [0x02, 0x05, 0x06, 0x0A] as [UInt8])
    func refusedHash(_ code: UInt8) {
        var lookup = begun()
        let refusal = GATT.Failure.attribute(.init(rawValue: code), handle: .init(1))
        #expect(lookup.completed(.failure(refusal)) == [.start(Self.services)])
    }

    @Test("tells the server about the client once, whether it agrees or not")
    func refusedPreparation() throws {
        var link = Lookup(CachedAccessory.server())
        try link.want()
        let record = try #require(link.kept)
        var lookup = DatabaseLookup(record: record)
        _ = lookup.want(isTrusted: true)
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
        #expect(lookup.want(isTrusted: true) == [.found(record.database)])
    }

    @Test("waits for what is under way if the table changes while the server is told")
    func changedDuringPreparation() throws {
        var link = Lookup(CachedAccessory.server())
        try link.want()
        var lookup = DatabaseLookup(record: link.kept)
        _ = lookup.want(isTrusted: false)
        _ = lookup.completed(.success(.value(CachedAccessory.hash)))
        #expect(lookup.databaseChanged() == [])
        #expect(lookup.want(isTrusted: false) == [], "a write is under way")
        #expect(lookup.completed(.success(.done)) == [.start(.readDatabaseHash)])
    }

    @Test("tells the server again, and looks again, if that was refused for a change")
    func outOfSyncPreparation() throws {
        var link = Lookup(CachedAccessory.server())
        try link.want()
        var lookup = DatabaseLookup(record: link.kept)
        _ = lookup.want(isTrusted: false)
        let hash = Result<GATT.Outcome, GATT.Failure>.success(.value(CachedAccessory.hash))
        _ = lookup.completed(hash)
        for _ in 0..<3 {
            // As whoever owns the lookup has to.
            _ = lookup.databaseChanged()
            #expect(lookup.completed(.failure(Self.outOfSync)) == [])
            #expect(lookup.isOutOfSync)
            #expect(lookup.want(isTrusted: false) == [.start(.readDatabaseHash)])
            let write = GATT.Operation.write(CachedAccessory.featuresHandle, [0x07])
            #expect(lookup.completed(hash).last == .start(write))
        }
    }

    @Test("keeps in mind what a bonded server was told before its table changed")
    func inherited() throws {
        var first = Lookup(CachedAccessory.server())
        try first.want(isTrusted: true)
        #expect(first.kept?.isWatched == true)
        #expect(first.kept?.announcedFeatures == 0x07)
        let server = CachedAccessory.server(hash: Array(repeating: 1, count: 16))
        var second = Lookup(server, kept: first.kept)
        try second.want(isTrusted: true)
        #expect(second.kept?.isWatched == true)
        let isWrite = { (operation: GATT.Operation) in
            if case .write = operation { true } else { false }
        }
        #expect(!second.operations.contains(where: isWrite))
    }
}
