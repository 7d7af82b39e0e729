// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("Notifications and indications")
struct NotificationTests {
    typealias Table = ServedTable
    typealias Refusal = GATTServer.NotificationRefusal

    /// Returns the refusal to send the value, or `nil` if it is sent.
    static func refusal(
        _ table: Table,
        _ uuid: BluetoothUUID,
        to client: GATTServer.ClientID = Table.client
    ) throws -> Refusal? {
        switch table.server.notification(of: try table.value(uuid), value: [1], to: client) {
        case .success: nil
        case .failure(let refusal): refusal
        }
    }

    @Test("A value subscribed for notification is notified")
    func notification() throws {
        var table = try Table(security: .none)
        try table.subscribe(to: Table.notified)
        let handle = try table.value(Table.notified)
        let sent = try table.server.notification(of: handle, value: [1, 2], to: Table.client).get()
        #expect(sent.bearer == Table.fixed)
        #expect(sent.kind == .notification)
        #expect(sent.pdu == .handleValueNotification(.init(handle: handle, value: [1, 2])))
    }

    @Test("A value subscribed for indication is indicated")
    func indication() throws {
        var table = try Table(security: .none)
        try table.subscribe(to: Table.indicated, 2)
        let handle = try table.value(Table.indicated)
        let sent = try table.server.notification(of: handle, value: [3], to: Table.client).get()
        #expect(sent.kind == .indication)
        #expect(sent.pdu == .handleValueIndication(.init(handle: handle, value: [3])))
    }

    @Test("A client subscribed for both kinds gets notifications")
    func both() throws {
        var table = try Table(security: .none)
        try table.subscribe(to: Table.both, 3)
        let handle = try table.value(Table.both)
        let sent = try table.server.notification(of: handle, value: [], to: Table.client).get()
        #expect(sent.kind == .notification)
    }

    @Test("A value is truncated to the MTU", arguments: [0, 23, 100, 247, 517])
    func truncation(_ mtu: Int) throws {
        var table = try Table(security: .none, mtu: mtu)
        try table.subscribe(to: Table.notified)
        let value = [UInt8](repeating: 0xAA, count: 512)
        let handle = try table.value(Table.notified)
        let sent = try table.server.notification(of: handle, value: value, to: Table.client).get()
        #expect(sent.pdu.encode().count == min(max(mtu, 23), 515))
    }

    @Test("A larger MTU applies to later notifications")
    func mtuChange() throws {
        var table = try Table(security: .none)
        try table.subscribe(to: Table.notified)
        table.server.mtuChanged(Table.fixed, 50)
        table.server.mtuChanged(.init(client: .init(rawValue: 9), channel: 4), 60)
        let value = [UInt8](repeating: 0, count: 100)
        let handle = try table.value(Table.notified)
        let sent = try table.server.notification(of: handle, value: value, to: Table.client).get()
        #expect(sent.pdu.encode().count == 50)
    }

    @Test("Values without a subscription, other attributes, and missing clients are refused")
    func refusals() throws {
        var table = try Table(security: .none)
        #expect(try Self.refusal(table, Table.notified) == .notSubscribed)
        #expect(try Self.refusal(table, Table.plain) == .notSubscribed)
        #expect(try Self.refusal(table, Table.notified, to: .init(rawValue: 7)) == .notConnected)
        try table.subscribe(to: Table.notified)
        #expect(try Self.refusal(table, Table.notified) == nil)
        let declaration = table.published.service.handle
        let result = table.server.notification(of: declaration, value: [], to: Table.client)
        guard case .failure(.notACharacteristic(declaration)) = result else {
            Issue.record("A declaration was notified")
            return
        }
        table.server.close(Table.fixed)
        #expect(try Self.refusal(table, Table.notified) == .notConnected)
    }

    @Test("The security of the link is checked for each notification")
    func security() throws {
        var table = try Table(security: Table.bonded)
        try table.subscribe(to: Table.protected)
        #expect(try Self.refusal(table, Table.protected) == nil)
        _ = table.server.securityChanged(Table.client, LinkSecurity(isBonded: true))
        #expect(
            try Self.refusal(table, Table.protected) == .notPermitted(.insufficientEncryption)
        )
        _ = table.server.securityChanged(Table.client, Table.bonded)
        #expect(try Self.refusal(table, Table.protected) == nil)
    }

    @Test("A client with several bearers gets all notifications on one of them")
    func primaryBearer() throws {
        var table = try Table(security: .none)
        table.server.open(Table.enhanced, security: .none, mtu: 200)
        try table.subscribe(to: Table.notified)
        let handle = try table.value(Table.notified)
        func bearer() throws -> GATTServer.BearerID {
            try table.server.notification(of: handle, value: [1], to: Table.client).get().bearer
        }
        #expect(try bearer() == Table.fixed)
        table.server.close(Table.fixed)
        #expect(try bearer() == Table.enhanced)
    }
}

@Suite("Notifications of several values")
struct MultipleNotificationTests {
    typealias Table = ServedTable

    static func table(features: UInt8, mtu: Int) throws -> Table {
        var table = try Table(security: Table.bonded, mtu: mtu)
        try table.setFeatures(features)
        for uuid in [Table.notified, Table.both, Table.protected] { try table.subscribe(to: uuid) }
        try table.subscribe(to: Table.indicated, 2)
        return table
    }

    static func opcodes(
        _ table: Table,
        _ values: [(BluetoothUUID, Int)]
    ) throws -> [UInt8] {
        let values = try values.map { uuid, length in
            GATT.AttributeValue(
                handle: try table.value(uuid),
                value: [UInt8](repeating: 1, count: length)
            )
        }
        return try table.server.notifications(of: values, to: Table.client).get()
            .compactMap { $0.pdu.encode().first }
    }

    @Test("A client with support gets several values in one PDU")
    func joined() throws {
        let table = try Self.table(features: 4, mtu: 64)
        let values = [
            GATT.AttributeValue(handle: try table.value(Table.notified), value: [1]),
            GATT.AttributeValue(handle: try table.value(Table.protected), value: [2, 3]),
        ]
        let sent = try table.server.notifications(of: values, to: Table.client).get()
        #expect(
            sent.map(\.pdu) == [
                .multipleHandleValueNotification(
                    .init(
                        entries: values.map { .init(handle: $0.handle, value: $0.value[...]) }
                    )
                )
            ]
        )
    }

    @Test("A client without support gets separate notifications")
    func separate() throws {
        let table = try Self.table(features: 3, mtu: 64)
        #expect(
            try Self.opcodes(table, [(Table.notified, 1), (Table.protected, 1)]) == [0x1B, 0x1B]
        )
    }

    @Test("Indications are sent alone, and a single value as an ordinary notification")
    func alone() throws {
        let table = try Self.table(features: 7, mtu: 64)
        #expect(
            try Self.opcodes(
                table,
                [(Table.notified, 1), (Table.indicated, 1), (Table.both, 1), (Table.protected, 1)]
            ) == [0x1B, 0x1D, 0x23]
        )
    }

    @Test("A PDU contains as many whole values as fit")
    func fitting() throws {
        let table = try Self.table(features: 4, mtu: 23)
        let two = [(Table.notified, 7), (Table.protected, 7)]
        #expect(try Self.opcodes(table, two) == [0x23])
        let large = [(Table.notified, 7), (Table.protected, 8), (Table.both, 1)]
        #expect(try Self.opcodes(table, large) == [0x1B, 0x23])
        let huge = [(Table.notified, 600), (Table.protected, 1)]
        #expect(try Self.opcodes(table, huge) == [0x1B, 0x1B])
    }

    @Test("If one value is refused, none is sent")
    func refused() throws {
        var table = try Self.table(features: 4, mtu: 64)
        _ = table.server.securityChanged(Table.client, .none)
        let values = try [Table.notified, Table.protected].map {
            GATT.AttributeValue(handle: try table.value($0), value: [1])
        }
        guard case .failure(let refusal) = table.server.notifications(of: values, to: Table.client)
        else {
            Issue.record("A protected value was sent")
            return
        }
        #expect(refusal == .notPermitted(.insufficientAuthentication))
    }
}
