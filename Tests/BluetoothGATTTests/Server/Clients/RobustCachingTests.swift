// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("Robust caching (Vol 3, Part G, 2.5.2.1)")
struct RobustCachingTests {
    typealias Table = ServedTable

    static let robust: UInt8 = 0x01
    static let read = ATT.PDU.readRequest(.init(handle: .first))
    static let write = ATT.PDU.writeRequest(.init(handle: .first, value: []))
    static let hash = ATT.PDU.readByTypeRequest(
        .init(start: .first, end: .last, type: BluetoothUUID(0x2B2A))
    )
    static let discovery = ATT.PDU.readByGroupTypeRequest(
        .init(start: .first, end: .last, type: BluetoothUUID(0x2800))
    )

    /// Returns a table with a change-unaware client that supports robust caching.
    static func unaware(_ security: LinkSecurity = .none) throws -> Table {
        var table = try Table(security: security)
        try table.setFeatures(robust)
        _ = try table.server.publish(Table.addition)
        return table
    }

    @Test("A new client is change-aware")
    func awareAtFirst() throws {
        var table = try Table(security: .none)
        try table.setFeatures(Self.robust)
        #expect(table.refusal(Self.read) == nil)
    }

    @Test("A change-unaware client is refused once and is then change-aware")
    func refusedOnce() throws {
        var table = try Self.unaware()
        #expect(table.refusal(Self.read) == .databaseOutOfSync)
        #expect(table.refusal(Self.read) == nil)
        #expect(table.refusal(Self.write) == nil)
    }

    @Test("A client that reads the hash becomes change-aware with its next request")
    func hashRead() throws {
        var table = try Self.unaware()
        #expect(table.refusal(Self.hash) == nil)
        #expect(table.refusal(Self.read) == nil)
        #expect(table.refusal(Self.read) == nil)
    }

    @Test("A client that confirms Service Changed becomes change-aware")
    func confirmation() throws {
        var table = try Table(security: .none)
        try table.setFeatures(Self.robust)
        try table.wantServiceChanged()
        let (service, actions) = try table.server.publish(Table.addition)
        let handle = try table.attribute(0x2A05).handle
        let range = service.service.handle.rawValue...service.service.endHandle.rawValue
        #expect(
            actions == [
                .indicate(
                    Table.fixed,
                    .init(
                        handle: handle,
                        value: [
                            UInt8(range.lowerBound), 0, UInt8(range.upperBound), 0,
                        ]
                    )
                )
            ]
        )
        #expect(table.server.confirmed(handle, on: Table.fixed) == [])
        #expect(table.refusal(Self.read) == nil)
    }

    @Test("A client without robust caching is never refused")
    func withoutRobustCaching() throws {
        var table = try Table(security: .none)
        _ = try table.server.publish(Table.addition)
        #expect(table.refusal(Self.read) == nil)
        #expect(table.refusal(.writeCommand(.init(handle: .first, value: []))) == nil)
    }

    @Test("Commands of a change-unaware client are ignored")
    func commands() throws {
        var table = try Self.unaware()
        let command = ATT.PDU.writeCommand(.init(handle: .first, value: []))
        #expect(table.refusal(command) == .databaseOutOfSync)
        #expect(table.refusal(command) == .databaseOutOfSync)
        let signed = ATT.PDU.signedWriteCommand(
            .init(handle: .first, value: [], signature: [UInt8](repeating: 0, count: 12)[...])
        )
        #expect(table.refusal(signed) == .databaseOutOfSync)
        #expect(table.refusal(Self.read) == .databaseOutOfSync)
        #expect(table.refusal(command) == .databaseOutOfSync)
        #expect(table.refusal(Self.read) == nil)
        #expect(table.refusal(command) == nil)
    }

    @Test(
        "A change-unaware client gets no notification of a value"
    )
    func notifications() throws {
        var table = try Table(security: .none)
        try table.setFeatures(Self.robust)
        try table.subscribe(to: Table.notified)
        #expect(try NotificationTests.refusal(table, Table.notified) == nil)
        _ = try table.server.publish(Table.addition)
        #expect(try NotificationTests.refusal(table, Table.notified) == .outOfSync)
        _ = table.refusal(Self.hash)
        #expect(try NotificationTests.refusal(table, Table.notified) == .outOfSync)
        _ = table.refusal(Self.read)
        #expect(try NotificationTests.refusal(table, Table.notified) == nil)
    }

    static let some = AttributeHandle(2)
    static let discoveries: [ATT.PDU] = [
        discovery,
        .findInformationRequest(.init(start: some, end: some)),
        .readByTypeRequest(.init(start: some, end: some, type: BluetoothUUID(0x2802))),
        .readByTypeRequest(.init(start: some, end: some, type: BluetoothUUID(0x2803))),
        .readByTypeRequest(.init(start: .first, end: .last, type: BluetoothUUID(0x2A00))),
        .executeWriteRequest(.init(flags: .cancelAll)),
    ]

    @Test(
        "Discovery and canceling writes succeed for a change-unaware client, which stays unaware",
        arguments: discoveries
    )
    func discoveryGoesOn(_ request: ATT.PDU) throws {
        var table = try Self.unaware()
        #expect(table.refusal(request) == nil)
        #expect(table.refusal(request) == nil)
        #expect(table.refusal(Self.read) == .databaseOutOfSync)
    }

    static let operations: [ATT.PDU] = [
        read,
        write,
        .readBlobRequest(.init(handle: some, offset: 0)),
        .readMultipleRequest(.init(handles: [some, some])),
        .readMultipleVariableRequest(.init(handles: [some, some])),
        .prepareWriteRequest(.init(handle: some, offset: 0, value: [])),
        .readByTypeRequest(.init(start: some, end: .last, type: BluetoothUUID(0x2A00))),
        .readByTypeRequest(.init(start: .first, end: some, type: BluetoothUUID(0x2800))),
    ]

    @Test(
        "Every request with a handle is refused for a change-unaware client",
        arguments: operations
    )
    func operationsAreRefused(_ request: ATT.PDU) throws {
        var table = try Self.unaware()
        #expect(table.refusal(request) == .databaseOutOfSync)
        #expect(table.refusal(request) == nil)
    }

    @Test("Another change makes the client change-unaware again")
    func changeAgain() throws {
        var table = try Self.unaware()
        #expect(table.refusal(Self.read) == .databaseOutOfSync)
        let service = try table.server.publish(Table.addition).0.service
        #expect(table.refusal(Self.read) == .databaseOutOfSync)
        #expect(table.refusal(Self.hash) == nil)
        _ = try table.server.unpublish(service.handle)
        #expect(table.refusal(Self.read) == .databaseOutOfSync)
    }

    @Test("With two bearers, each is refused once, and only the hash makes the client aware")
    func twoBearers() throws {
        var table = try Table(security: .none)
        table.server.open(Table.enhanced, security: .none, mtu: 64)
        try table.setFeatures(Self.robust)
        try table.wantServiceChanged()
        _ = try table.server.publish(Table.addition)
        #expect(table.refusal(Self.read) == .databaseOutOfSync)
        #expect(table.refusal(Self.read) == nil)
        #expect(table.refusal(Self.read, on: Table.enhanced) == .databaseOutOfSync)
        #expect(table.refusal(Self.read, on: Table.enhanced) == nil)
        _ = table.server.confirmed(try table.attribute(0x2A05).handle, on: Table.fixed)
        try table.subscribe(to: Table.notified)
        #expect(try NotificationTests.refusal(table, Table.notified) == .outOfSync)
        #expect(table.refusal(Self.hash) == nil)
        #expect(table.refusal(Self.discovery, on: Table.enhanced) == nil)
        #expect(try NotificationTests.refusal(table, Table.notified) == nil)
    }

    @Test("A request for the hash in a range that does not contain it is refused")
    func hashElsewhere() throws {
        var table = try Self.unaware()
        let elsewhere = ATT.PDU.readByTypeRequest(
            .init(start: .last, end: .last, type: BluetoothUUID(0x2B2A))
        )
        #expect(table.refusal(elsewhere) == .databaseOutOfSync)
        var inverted = try Self.unaware()
        let backwards = ATT.PDU.readByTypeRequest(
            .init(start: .last, end: .first, type: BluetoothUUID(0x2B2A))
        )
        #expect(inverted.refusal(backwards) == .databaseOutOfSync)
    }
}

@Suite("Service Changed (Vol 3, Part G, 7.1)")
struct ServiceChangedServerTests {
    typealias Table = ServedTable

    @Test("A client without a subscription gets no indication")
    func notSubscribed() throws {
        var table = try Table(security: .none)
        #expect(try table.server.publish(Table.addition).1 == [])
    }

    @Test("A change before the subscription is not indicated")
    func subscribedLater() throws {
        var table = try Table(security: .none)
        let before = try table.server.publish(Table.addition).0.service
        #expect(try table.wantServiceChanged().changedRanges == [])
        let (published, actions) = try table.server.publish(Table.addition)
        #expect(published.service.handle > before.endHandle)
        let start = UInt8(published.service.handle.rawValue)
        #expect(actions.changedRanges.map(\.first) == [start])
    }

    @Test("A waiting indication is dropped if the client unsubscribes")
    func unsubscribed() throws {
        var table = try Table(security: .none)
        try table.wantServiceChanged()
        let changed = try table.attribute(0x2A05).handle
        for _ in 0..<2 { _ = try table.server.publish(Table.addition) }
        _ = table.server.write([0, 0], to: try table.attribute(0x2902), by: Table.client)
        #expect(table.server.confirmed(changed, on: Table.fixed) == [])
        #expect(try table.wantServiceChanged().changedRanges == [])
        #expect(table.server.confirmed(changed, on: Table.fixed) == [])
    }

    @Test("Adding and removing a service are both indicated")
    func goingService() throws {
        var table = try Table(security: .none)
        try table.wantServiceChanged()
        let changed = try table.attribute(0x2A05).handle
        let (service, first) = try table.server.publish(Table.addition)
        table.server.confirmed(changed, on: Table.fixed)
        let second = try table.server.unpublish(service.service.handle)
        #expect(first.changedRanges == second.changedRanges)
        #expect(first.changedRanges.count == 1)
    }

    @Test("Changes during an indication are combined into one more indication")
    func burst() throws {
        var table = try Table(security: .none)
        try table.wantServiceChanged()
        let changed = try table.attribute(0x2A05).handle
        #expect(try table.server.publish(Table.addition).1.changedRanges.count == 1)
        var last = AttributeHandle.first
        var first: AttributeHandle?
        for _ in 0..<50 {
            let (published, actions) = try table.server.publish(Table.addition)
            #expect(actions == [])
            first = first ?? published.service.handle
            last = published.service.endHandle
        }
        let next = table.server.confirmed(changed, on: Table.fixed)
        let start = try #require(first).rawValue
        #expect(
            next.changedRanges == [
                [
                    UInt8(truncatingIfNeeded: start), UInt8(start >> 8),
                    UInt8(truncatingIfNeeded: last.rawValue), UInt8(last.rawValue >> 8),
                ]
            ]
        )
        #expect(table.server.confirmed(changed, on: Table.fixed) == [])
    }

    @Test("An unrelated or unexpected confirmation has no effect")
    func strayConfirmations() throws {
        var table = try Table(security: .none)
        try table.wantServiceChanged()
        let changed = try table.attribute(0x2A05).handle
        #expect(table.server.confirmed(changed, on: Table.fixed) == [])
        _ = try table.server.publish(Table.addition)
        #expect(table.server.confirmed(.last, on: Table.fixed) == [])
        #expect(table.server.confirmed(changed, on: Table.enhanced) == [])
        #expect(try table.server.publish(Table.addition).1 == [])
    }

    @Test("An indication on a bearer that closes is sent again on another bearer")
    func closedBearer() throws {
        var table = try Table(security: .none)
        table.server.open(Table.enhanced, security: .none, mtu: 64)
        try table.wantServiceChanged()
        let reported = try table.server.publish(Table.addition).1
        let again = table.server.close(Table.fixed)
        #expect(again.changedRanges == reported.changedRanges)
        guard case .indicate(Table.enhanced, _) = again.first else {
            Issue.record("A PDU was sent on a closed bearer")
            return
        }
    }

    @Test("Subscriptions to a removed service are removed and do not return with its handle")
    func removedService() throws {
        var table = try Table(security: .none)
        let published = try table.server.publish(Table.addition).0
        let characteristic = published.characteristics[0]
        let handle = try #require(characteristic.descriptors.first).handle
        let configuration = try #require(table.server.database.attribute(handle))
        _ = table.server.write([1, 0], to: configuration, by: Table.client)
        #expect(table.server.subscribers(of: characteristic.valueHandle) == [Table.client])
        _ = try table.server.unpublish(published.service.handle)
        #expect(table.server.subscriptions(of: Table.client) == [:])
        #expect(try table.server.publish(Table.addition).0 == published)
        #expect(table.server.subscribers(of: characteristic.valueHandle) == [])
    }
}
