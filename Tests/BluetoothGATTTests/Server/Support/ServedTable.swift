// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// A server with one published service, for tests of its client records.
struct ServedTable {
    static let service = BluetoothUUID(0xFF00)
    static let notified = BluetoothUUID(0xFF01)
    static let indicated = BluetoothUUID(0xFF02)
    static let both = BluetoothUUID(0xFF03)
    static let protected = BluetoothUUID(0xFF04)
    static let plain = BluetoothUUID(0xFF05)

    static let client = GATTServer.ClientID(rawValue: 1)
    static let fixed = GATTServer.BearerID(client: client, channel: 4)
    static let enhanced = GATTServer.BearerID(client: client, channel: 0x40)

    /// A link that is encrypted with the key of a bond.
    static let bonded = LinkSecurity(isEncrypted: true, keySize: 16, isBonded: true)

    static let definition = GATT.ServiceDefinition(
        service,
        [
            .init(notified, [.read, .notify], value: .stored([1])),
            .init(indicated, .indicate),
            .init(both, [.notify, .indicate]),
            .init(
                protected,
                [.read, .notify],
                permissions: .init(read: .encrypted),
                value: .stored([9])
            ),
            .init(plain, [.read, .write], value: .stored([7], maximumLength: 4)),
        ]
    )

    /// A service to publish in addition.
    static let addition = GATT.ServiceDefinition(
        BluetoothUUID(0xFFA0),
        [.init(BluetoothUUID(0xFFA1), .notify)]
    )

    var server = GATTServer()
    let published: GATT.DiscoveredService

    init() throws {
        published = try server.publish(Self.definition).0
    }

    /// Creates a table whose client is connected.
    init(security: LinkSecurity, mtu: Int = 23) throws {
        try self.init()
        server.open(Self.fixed, security: security, mtu: mtu)
    }

    func value(_ uuid: BluetoothUUID) throws -> AttributeHandle {
        try #require(published.characteristic(uuid)).valueHandle
    }

    func configuration(_ uuid: BluetoothUUID) throws -> Attribute {
        let characteristic = try #require(published.characteristic(uuid))
        let handle = try #require(characteristic.descriptors.first).handle
        return try #require(server.database.attribute(handle))
    }

    /// Returns the first attribute of this type.
    func attribute(_ type: UInt16) throws -> Attribute {
        try #require(server.database.attributes.first { $0.type == BluetoothUUID(type) })
    }

    /// Writes a configuration after the check of its value.
    @discardableResult
    mutating func subscribe(
        _ client: GATTServer.ClientID = Self.client,
        to uuid: BluetoothUUID,
        _ bits: UInt8 = 1
    ) throws -> [GATTServer.Action] {
        let attribute = try configuration(uuid)
        #expect(server.refusal(ofWriting: [bits, 0], to: attribute, by: client) == nil)
        return server.write([bits, 0], to: attribute, by: client)
    }

    /// Subscribes to Service Changed.
    @discardableResult
    mutating func wantServiceChanged(
        _ client: GATTServer.ClientID = Self.client
    ) throws -> [GATTServer.Action] {
        server.write([2, 0], to: try attribute(0x2902), by: client)
    }

    /// Sets bits of Client Supported Features.
    @discardableResult
    mutating func setFeatures(
        _ bits: UInt8,
        _ client: GATTServer.ClientID = Self.client
    ) throws -> [GATTServer.Action] {
        server.write([bits], to: try attribute(0x2B29), by: client)
    }

    /// Returns Database Out Of Sync if the server refuses the request for a change-unaware client
    /// before it processes the request. Otherwise, returns `nil`.
    mutating func refusal(
        _ request: ATT.PDU,
        on bearer: GATTServer.BearerID = Self.fixed
    ) -> ATT.ErrorCode? {
        var actions: [GATTServer.Action] = []
        return server.outOfSyncRefusal(of: request, on: bearer, into: &actions)
    }
}

extension [GATTServer.Action] {
    /// The ranges that are indicated as changed.
    var changedRanges: [[UInt8]] {
        compactMap {
            if case .indicate(_, let indication) = $0 { [UInt8](indication.value) } else { nil }
        }
    }

    /// The client records that the server passes on for storage.
    var clientRecords: [ClientRecord] {
        compactMap { if case .remember(_, let clientRecord) = $0 { clientRecord } else { nil } }
    }
}
