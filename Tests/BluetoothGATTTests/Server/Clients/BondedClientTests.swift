// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("Records of bonded clients")
struct BondedClientTests {
    typealias Table = ServedTable

    static let all: [UInt8] = [0x01, 0x00, 0xFF, 0xFF]

    /// Returns the record of a client that knows the database and has subscribed to Service Changed
    /// and to one value.
    static func clientRecord(of table: Table) throws -> ClientRecord {
        var table = table
        table.server.open(Table.fixed, security: Table.bonded, mtu: 23)
        var actions = try table.setFeatures(1)
        actions += try table.wantServiceChanged()
        actions += try table.subscribe(to: Table.notified)
        return try #require(actions.clientRecords.last)
    }

    @Test("The server returns each change of a bonded client's record, and no other changes")
    func changes() throws {
        var table = try Table(security: Table.bonded)
        let clientRecords = try table.subscribe(to: Table.notified).clientRecords
        #expect(clientRecords.count == 1)
        #expect(clientRecords[0].configurations.values.map(\.characteristic) == [Table.notified])
        #expect(clientRecords[0].knownHash == table.server.database.hash)
        #expect(try table.subscribe(to: Table.notified).clientRecords == [])
        #expect(try table.setFeatures(1).clientRecords.first?.supportedFeatures == 1)
        var unbonded = try Table(security: LinkSecurity(isEncrypted: true, keySize: 16))
        #expect(try unbonded.subscribe(to: Table.notified).clientRecords == [])
    }

    @Test(
        "Subscriptions from an unencrypted link are stored once the link is encrypted with a bond"
    )
    func unencrypted() throws {
        var table = try Table(security: .none)
        #expect(try table.subscribe(to: Table.notified).clientRecords == [])
        let unencrypted = LinkSecurity(isBonded: true)
        #expect(table.server.securityChanged(Table.client, unencrypted) == [])
        let actions = table.server.securityChanged(Table.client, Table.bonded)
        #expect(actions.clientRecords.first?.configurations.count == 1)
        #expect(table.server.securityChanged(Table.client, Table.bonded) == [])
    }

    @Test("Subscriptions are restored after a restart and reported to the application")
    func restart() throws {
        let clientRecord = try Self.clientRecord(of: try Table())
        var table = try Table(security: Table.bonded)
        let actions = table.server.restore(Table.client, clientRecord)
        let handle = try table.value(Table.notified)
        let changed = try table.attribute(0x2A05).handle
        #expect(
            actions == [
                .report(Table.client, .subscribed(changed, .indication)),
                .report(Table.client, .subscribed(handle, .notification)),
            ]
        )
        #expect(table.server.subscribers(of: handle) == [Table.client])
        #expect(table.refusal(RobustCachingTests.read) == nil)
        #expect(try NotificationTests.refusal(table, Table.notified) == nil)
    }

    @Test("A change during the client's absence is indicated when the client returns")
    func changedWhileAway() throws {
        let clientRecord = try Self.clientRecord(of: try Table())
        var table = try Table()
        _ = try table.server.publish(Table.addition)
        table.server.open(Table.fixed, security: Table.bonded, mtu: 23)
        let actions = table.server.restore(Table.client, clientRecord)
        #expect(actions.changedRanges == [Self.all])
        #expect(actions.clientRecords == [])
        #expect(table.refusal(RobustCachingTests.read) == .databaseOutOfSync)
        let changed = try table.attribute(0x2A05).handle
        let learned = table.server.confirmed(changed, on: Table.fixed)
        #expect(learned.clientRecords.map(\.knownHash) == [table.server.database.hash])
        #expect(table.refusal(RobustCachingTests.read) == nil)
    }

    @Test("A client that read the new hash gets no indication on its next return")
    func learnedFromHash() throws {
        let clientRecord = try Self.clientRecord(of: try Table())
        var table = try Table()
        _ = try table.server.publish(Table.addition)
        table.server.open(Table.fixed, security: Table.bonded, mtu: 23)
        _ = table.server.restore(Table.client, clientRecord)
        var actions: [GATTServer.Action] = []
        for request in [RobustCachingTests.hash, RobustCachingTests.read] {
            let refusal = table.server.outOfSyncRefusal(
                of: request,
                on: Table.fixed,
                into: &actions
            )
            #expect(refusal == nil)
        }
        let learned = try #require(actions.clientRecords.last)
        table.server.close(Table.fixed)
        table.server.open(Table.fixed, security: Table.bonded, mtu: 23)
        #expect(table.server.restore(Table.client, learned).changedRanges == [])
    }

    @Test("A new bond on the same link keeps the configurations")
    func bondedAgain() throws {
        let clientRecord = try Self.clientRecord(of: try Table())
        var table = try Table()
        table.server.open(Table.fixed, security: Table.bonded, mtu: 23)
        #expect(table.server.restore(Table.client, clientRecord).clientRecords == [])
        let unbonded = LinkSecurity(isEncrypted: true, keySize: 16)
        #expect(table.server.securityChanged(Table.client, unbonded) == [])
        #expect(
            table.server.securityChanged(Table.client, Table.bonded).clientRecords == [clientRecord]
        )
    }

    @Test("After a database change, a bonded client is out of sync before and after encryption")
    func recognized() throws {
        let clientRecord = try Self.clientRecord(of: try Table())
        for isChanged in [true, false] {
            var table = try Table()
            if isChanged { _ = try table.server.publish(Table.addition) }
            table.server.open(Table.fixed, security: .none, mtu: 23)
            table.server.recognize(Table.client, clientRecord)
            let expected: ATT.ErrorCode? = isChanged ? .databaseOutOfSync : nil
            #expect(table.refusal(RobustCachingTests.read) == expected)
            #expect(table.server.subscriptions(of: Table.client).isEmpty)
            #expect(table.refusal(RobustCachingTests.read) == nil)
            let actions = table.server.restore(Table.client, clientRecord)
            #expect(
                actions.clientRecords == [],
                "The server stores no record of a client that is not authenticated"
            )
            #expect(table.refusal(RobustCachingTests.read) == expected)
        }
    }

    @Test("A client that left before its confirmation gets the indication again")
    func leftBeforeConfirmation() throws {
        var table = try Table()
        let clientRecord = try Self.clientRecord(of: table)
        table.server.open(Table.fixed, security: Table.bonded, mtu: 23)
        _ = table.server.restore(Table.client, clientRecord)
        let actions = try table.server.publish(Table.addition).1
        #expect(actions.changedRanges.count == 1)
        #expect(actions.clientRecords == [])
        table.server.close(Table.fixed)
        table.server.open(Table.fixed, security: Table.bonded, mtu: 23)
        #expect(table.server.restore(Table.client, clientRecord).changedRanges == [Self.all])
    }

    @Test("The configuration of a characteristic that was replaced is discarded")
    func otherCharacteristic() throws {
        let clientRecord = try Self.clientRecord(of: try Table())
        var server = GATTServer()
        let other = GATT.ServiceDefinition(
            Table.service,
            [.init(Table.plain, .notify), .init(Table.notified, .notify)]
        )
        let published = try server.publish(other).0
        server.open(Table.fixed, security: Table.bonded, mtu: 23)
        let actions = server.restore(Table.client, clientRecord)
        #expect(
            published.characteristics.allSatisfy { server.subscribers(of: $0.valueHandle) == [] }
        )
        #expect(actions.clientRecords.first?.configurations.count == 1)
        #expect(actions.changedRanges == [Self.all])
    }

    @Test("A configuration with bits that the characteristic no longer has is discarded")
    func otherProperties() throws {
        var clientRecord = try Self.clientRecord(of: try Table())
        for handle in clientRecord.configurations.keys {
            clientRecord.configurations[handle]?.bits = 3
        }
        var table = try Table(security: Table.bonded)
        _ = table.server.restore(Table.client, clientRecord)
        #expect(table.server.subscriptions(of: Table.client) == [:])
    }

    @Test("A configuration written on this link takes precedence over the record")
    func newerConfiguration() throws {
        var clientRecord = try Self.clientRecord(of: try Table())
        for handle in clientRecord.configurations.keys {
            clientRecord.configurations[handle]?.bits = 1
        }
        var table = try Table(security: Table.bonded)
        try table.subscribe(to: Table.both, 2)
        try table.subscribe(to: Table.notified)
        let actions = table.server.restore(Table.client, clientRecord)
        #expect(
            table.server.subscriptions(of: Table.client)[try table.value(Table.both)] == .indication
        )
        #expect(actions.clientRecords.first?.configurations.count == 2)
        #expect(!actions.contains { if case .report = $0 { true } else { false } })
    }

    @Test("A client without a known hash gets an indication of the whole database")
    func noHash() throws {
        var clientRecord = try Self.clientRecord(of: try Table())
        clientRecord.knownHash = nil
        var table = try Table(security: Table.bonded)
        #expect(table.server.restore(Table.client, clientRecord).changedRanges == [Self.all])
    }

    @Test("Restoring a client that is not connected has no effect")
    func notConnected() throws {
        let clientRecord = try Self.clientRecord(of: try Table())
        var table = try Table()
        #expect(table.server.restore(Table.client, clientRecord) == [])
        #expect(table.server.securityChanged(Table.client, Table.bonded) == [])
        #expect(table.server.close(Table.fixed) == [])
    }
}
