// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("Subscriptions")
struct SubscriptionTests {
    typealias Table = ServedTable

    @Test("A client subscribes, is listed, and unsubscribes")
    func subscribe() throws {
        var table = try Table(security: .none)
        let handle = try table.value(Table.notified)
        #expect(table.server.subscribers(of: handle) == [])
        #expect(
            try table.subscribe(to: Table.notified)
                == [.report(Table.client, .subscribed(handle, .notification))]
        )
        #expect(table.server.subscribers(of: handle) == [Table.client])
        #expect(table.server.subscriptions(of: Table.client) == [handle: .notification])
        let configuration = try table.configuration(Table.notified)
        #expect(table.server.value(of: configuration, for: Table.client) == [1, 0])
        #expect(
            try table.subscribe(to: Table.notified, 0)
                == [.report(Table.client, .subscribed(handle, nil))]
        )
        #expect(table.server.subscribers(of: handle) == [])
    }

    @Test("Writing an unchanged configuration is not reported")
    func twice() throws {
        var table = try Table(security: .none)
        try table.subscribe(to: Table.notified)
        #expect(try table.subscribe(to: Table.notified) == [])
    }

    @Test("Each client has its own configuration")
    func severalClients() throws {
        var table = try Table(security: .none)
        let other = GATTServer.ClientID(rawValue: 2)
        table.server.open(.init(client: other, channel: 4), security: .none, mtu: 23)
        try table.subscribe(other, to: Table.indicated, 2)
        let configuration = try table.configuration(Table.indicated)
        #expect(table.server.value(of: configuration, for: other) == [2, 0])
        #expect(table.server.value(of: configuration, for: Table.client) == [0, 0])
        #expect(table.server.subscribers(of: try table.value(Table.indicated)) == [other])
    }

    @Test(
        "Unsupported bits are refused, and reserved bits are ignored",
        arguments: [
            (Table.notified, [1, 0], nil),
            (Table.notified, [2, 0], .valueNotAllowed),
            (Table.notified, [3, 0], .valueNotAllowed),
            (Table.notified, [0, 0], nil),
            (Table.notified, [0xFD, 0xFF], nil),
            (Table.indicated, [1, 0], .valueNotAllowed),
            (Table.indicated, [2, 0], nil),
            (Table.both, [3, 0], nil),
            (Table.both, [], .invalidAttributeValueLength),
            (Table.both, [1], .invalidAttributeValueLength),
            (Table.both, [1, 0, 0], .invalidAttributeValueLength),
        ] as [(BluetoothUUID, [UInt8], ATT.ErrorCode?)]
    )
    func bits(_ uuid: BluetoothUUID, _ value: [UInt8], _ refusal: ATT.ErrorCode?) throws {
        let table = try Table(security: .none)
        let attribute = try table.configuration(uuid)
        #expect(table.server.refusal(ofWriting: value, to: attribute, by: Table.client) == refusal)
    }

    @Test("Reserved bits are not stored")
    func reservedBits() throws {
        var table = try Table(security: .none)
        let configuration = try table.configuration(Table.notified)
        _ = table.server.write([0xFD, 0xFF], to: configuration, by: Table.client)
        #expect(table.server.value(of: configuration, for: Table.client) == [1, 0])
    }

    @Test("Subscribing needs the permission to subscribe, and unsubscribing needs none")
    func permissions() throws {
        var table = try Table(security: .none)
        let attribute = try table.configuration(Table.protected)
        func refusal(_ bits: UInt8) -> ATT.ErrorCode? {
            table.server.refusal(ofWriting: [bits, 0], to: attribute, by: Table.client)
        }
        #expect(refusal(1) == .insufficientAuthentication)
        #expect(refusal(0) == nil)
        _ = table.server.securityChanged(Table.client, LinkSecurity(isBonded: true))
        #expect(refusal(1) == .insufficientEncryption)
        _ = table.server.securityChanged(Table.client, Table.bonded)
        #expect(refusal(1) == nil)
    }

    @Test("The permission to subscribe takes precedence over the permission to read")
    func subscribeRule() throws {
        var server = GATTServer()
        let published = try server.publish(
            .init(
                Table.service,
                [
                    .init(
                        Table.notified,
                        [.read, .notify],
                        permissions: .init(read: .encrypted, subscribe: .authorized)
                    )
                ]
            )
        ).0
        server.open(Table.fixed, security: .none, mtu: 23)
        let handle = try #require(published.characteristics[0].descriptors.first).handle
        let attribute = try #require(server.database.attribute(handle))
        func refusal() -> ATT.ErrorCode? {
            server.refusal(ofWriting: [1, 0], to: attribute, by: Table.client)
        }
        #expect(refusal() == .insufficientAuthorization)
        server.authorize(Table.client, true)
        #expect(refusal() == nil)
        server.authorize(Table.client, false)
        #expect(refusal() == .insufficientAuthorization)
    }

    @Test("A client without a bond has no subscriptions after it reconnects")
    func leaving() throws {
        var table = try Table(security: .none)
        try table.subscribe(to: Table.notified)
        table.server.close(Table.fixed)
        #expect(table.server.subscribers(of: try table.value(Table.notified)) == [])
        #expect(table.server.client(Table.client) == nil)
        table.server.open(Table.fixed, security: .none, mtu: 23)
        let configuration = try table.configuration(Table.notified)
        #expect(table.server.value(of: configuration, for: Table.client) == [0, 0])
    }

    @Test("A write that exceeds the maximum length of a stored value is refused")
    func storedValues() throws {
        var table = try Table(security: .none)
        let handle = try table.value(Table.plain)
        let attribute = try #require(table.server.database.attribute(handle))
        let five: [UInt8] = [1, 2, 3, 4, 5]
        #expect(
            table.server.refusal(ofWriting: five, to: attribute, by: Table.client)
                == .invalidAttributeValueLength
        )
        #expect(table.server.refusal(ofWriting: [], to: attribute, by: Table.client) == nil)
        #expect(table.server.write([1, 2], to: attribute, by: Table.client) == [])
        #expect(table.server.value(of: handle) == [1, 2])
        let declaration = try #require(table.server.database.attribute(.first))
        #expect(
            table.server.refusal(ofWriting: [1], to: declaration, by: Table.client)
                == .writeNotPermitted
        )
        #expect(table.server.write([1], to: declaration, by: Table.client) == [])
    }

    @Test("A Server Characteristic Configuration has exactly two bytes")
    func broadcast() throws {
        var server = GATTServer()
        _ = try server.publish(.init(Table.service, [.init(Table.plain, [.read, .broadcast])]))
        let attribute = try #require(
            server.database.attributes.first { $0.type == BluetoothUUID(0x2903) }
        )
        let refusals = [[], [1], [1, 0], [1, 0, 0]].map {
            server.refusal(ofWriting: $0, to: attribute, by: Table.client)
        }
        let short = ATT.ErrorCode.invalidAttributeValueLength
        #expect(refusals == [short, short, nil, short])
    }

    @Test("A client cannot clear a supported feature, and unknown features are not stored")
    func features() throws {
        var table = try Table(security: .none)
        let attribute = try table.attribute(0x2B29)
        func refusal(_ value: [UInt8]) -> ATT.ErrorCode? {
            table.server.refusal(ofWriting: value, to: attribute, by: Table.client)
        }
        #expect(table.server.value(of: attribute, for: Table.client) == [0])
        #expect(refusal([]) == .invalidAttributeValueLength)
        #expect(refusal([0xFF, 1, 2]) == nil)
        try table.setFeatures(0xFF)
        #expect(table.server.value(of: attribute, for: Table.client) == [0x07])
        #expect(refusal([0x06]) == .valueNotAllowed)
        #expect(refusal([0x07]) == nil)
    }
}
