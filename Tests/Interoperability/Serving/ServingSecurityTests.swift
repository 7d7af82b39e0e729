// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothHost
import Testing

/// Our server refuses values on links without the required security.
@Suite(.needsPeers) struct ServingSecurityTests {
    // 16-bit UUIDs, because a Find By Type Value Request accepts only those.
    private static let encrypted = BluetoothUUID(0xFFE1)
    private static let authenticated = BluetoothUUID(0xFFE2)
    private static let authorized = BluetoothUUID(0xFFE3)
    private static let notified = BluetoothUUID(0xFFE4)

    private static let secret = Array("secret".utf8)

    private static let service = GATT.ServiceDefinition(
        Demo.uuid(0x300),
        [
            characteristic(encrypted, .encrypted),
            characteristic(authenticated, .authenticated),
            characteristic(authorized, .authorized),
            .init(
                notified,
                .notify,
                permissions: GATT.Permissions(subscribe: .encrypted),
                value: .stored([])
            ),
        ]
    )

    private static func characteristic(
        _ uuid: BluetoothUUID,
        _ rule: SecurityRequirement
    ) -> GATT.CharacteristicDefinition {
        .init(
            uuid,
            [.read, .write],
            permissions: GATT.Permissions(read: rule, write: rule),
            value: .stored(secret)
        )
    }

    @Test(
        "The server refuses protected values on an unencrypted link",
        arguments: ControllerKind.available
    )
    func unencryptedLink(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [Self.service]) { server in
            let (client, _) = try await server.client()
            let reasons: [(BluetoothUUID, ATT.ErrorCode)] = [
                (Self.encrypted, .insufficientAuthentication),
                (Self.authenticated, .insufficientAuthentication),
                (Self.authorized, .insufficientAuthorization),
            ]
            for (uuid, reason) in reasons {
                try await expectRefusals(client, of: server.handle(uuid), uuid, reason)
            }
            await #expect(throws: Client.Failure.refused(.insufficientAuthentication)) {
                try await client.subscribe(to: server.handle(Self.notified))
            }
        }
    }

    @Test(
        "The server gives protected values to a bonded client after encryption",
        arguments: ControllerKind.available
    )
    func bondedClient(kind: ControllerKind) async throws {
        let configuration = try BondedClient.configuration(isAuthenticated: false)
        try await withServer(
            on: kind,
            configuration: configuration,
            serving: [Self.service]
        ) { server in
            let (client, link) = try await server.client()
            let handle = try server.handle(Self.encrypted)
            try await expectRefusals(client, of: handle, Self.encrypted, .insufficientEncryption)
            try await client.encrypt(with: BondedClient.key)
            #expect(try await client.read(handle) == Self.secret)
            #expect(try await client.readLong(handle) == Self.secret)
            #expect(try await client.read(uuid: Self.encrypted).map(\.value) == [Self.secret])
            try await client.write([1], to: handle)
            #expect(try await link.security.isEncrypted)
            // The key is from an unauthenticated pairing.
            let authenticated = try server.handle(Self.authenticated)
            try await expectRefusals(
                client,
                of: authenticated,
                Self.authenticated,
                .insufficientAuthentication
            )
            let notified = try server.handle(Self.notified)
            try await client.subscribe(to: notified)
            try await server.recorder.subscription(of: notified, .notification)
            try await link.notify([5], of: notified)
            #expect(try await client.values(1, of: notified).map(\.bytes) == [[5]])
        }
    }

    @Test(
        "A bonded Bumble client reads the device's name and appearance before it encrypts",
        arguments: ControllerKind.available
    )
    func nameBeforeEncryption(kind: ControllerKind) async throws {
        var configuration = try BondedClient.configuration(isAuthenticated: false)
        configuration.name = "Strap"
        configuration.appearance = 0x0340
        try await withServer(
            on: kind,
            configuration: configuration,
            serving: [Self.service]
        ) { server in
            let (client, link) = try await server.client()
            let name = try await client.read(uuid: GATT.AttributeType.deviceName)
            #expect(name.map(\.value) == [Array("Strap".utf8)])
            let appearance = try await client.read(uuid: GATT.AttributeType.appearance)
            #expect(appearance.map(\.value) == [[0x40, 0x03]])
            await #expect(throws: Client.Failure.refused(.insufficientEncryption)) {
                try await client.read(uuid: GATT.AttributeType.preferredConnectionParameters)
            }
            #expect(try await !link.security.isEncrypted)
        }
    }

    @Test(
        "An authenticated key gives access to authenticated values",
        arguments: ControllerKind.available
    )
    func authenticatedKey(kind: ControllerKind) async throws {
        let configuration = try BondedClient.configuration(isAuthenticated: true)
        try await withServer(
            on: kind,
            configuration: configuration,
            serving: [Self.service]
        ) { server in
            let (client, link) = try await server.client()
            try await client.encrypt(with: BondedClient.key)
            let handles = try [Self.encrypted, Self.authenticated].map(server.handle)
            #expect(try await client.read(handles) == [Self.secret, Self.secret])
            let authorized = try server.handle(Self.authorized)
            await #expect(throws: Client.Failure.refused(.insufficientAuthorization)) {
                try await client.read(authorized)
            }
            try await link.authorize()
            #expect(try await client.read(authorized) == Self.secret)
        }
    }

    /// RootCanal's controllers do not compare keys.
    @Test(
        "A wrong key does not encrypt the link",
        arguments: ControllerKind.available.filter { $0 != .rootCanal }
    )
    func wrongKey(kind: ControllerKind) async throws {
        let configuration = try BondedClient.configuration(isAuthenticated: true)
        try await withServer(
            on: kind,
            configuration: configuration,
            serving: [Self.service]
        ) { server in
            let (client, link) = try await server.client()
            await #expect(throws: Client.Failure.self) {
                try await client.encrypt(with: Array(BondedClient.key.reversed()))
            }
            #expect(await (try? link.security.isEncrypted) != true)
        }
    }

    @Test("A key without a bond does not encrypt the link", arguments: ControllerKind.available)
    func unsharedKey(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [Self.service]) { server in
            let (client, link) = try await server.client()
            await #expect(throws: Client.Failure.self) {
                try await client.encrypt(with: BondedClient.key)
            }
            await #expect(throws: Client.Failure.refused(.insufficientAuthentication)) {
                try await client.read(server.handle(Self.encrypted))
            }
            #expect(try await !link.security.isEncrypted)
        }
    }

    /// Expects that the server refuses reads and writes, with this reason if the request has a
    /// response, and that Find By Type Value does not find the value.
    private func expectRefusals(
        _ client: Client,
        of handle: AttributeHandle,
        _ uuid: BluetoothUUID,
        _ reason: ATT.ErrorCode
    ) async throws {
        let refusal = Client.Failure.refused(reason)
        await #expect(throws: refusal) { try await client.read(handle) }
        await #expect(throws: refusal) { try await client.readPart(of: handle, from: 0) }
        await #expect(throws: refusal) { try await client.readJoined([handle, handle]) }
        await #expect(throws: refusal) { try await client.read([handle, handle]) }
        await #expect(throws: refusal) { try await client.read(uuid: uuid) }
        await #expect(throws: refusal) { try await client.write([1], to: handle) }
        await #expect(throws: refusal) { try await client.prepare([1], at: 0, of: handle) }
        try await client.writeCommand([1], to: handle)
        #expect(try await client.find(value: Self.secret, of: uuid) == [])
    }
}

/// A client with which our host is bonded.
enum BondedClient {
    static let key = [UInt8](1...16)

    /// Returns the configuration of a host with a bond for the client at `Client.address(at: 0)`.
    static func configuration(isAuthenticated: Bool) throws -> HostConfiguration {
        var configuration = HostConfiguration()
        configuration.bonds = [
            Bond(
                peer: Client.address(at: 0),
                longTermKey: try #require(HCI.Key128(key)),
                isAuthenticated: isAuthenticated
            )
        ]
        return configuration
    }
}

extension Client {
    /// Returns the handles of the attributes with this type and value, by Find By Type Value.
    func find(value: [UInt8], of uuid: BluetoothUUID) async throws -> [AttributeHandle] {
        let details: [String: JSON] = ["uuid": .string("\(uuid)"), "value": .bytes(value)]
        do {
            return try await perform("find_by_type_value", details).elements
                .compactMap { $0["handle"].handle }
        } catch Failure.refused(.attributeNotFound) {
            return []
        }
    }
}
