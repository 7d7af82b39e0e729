// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothHost
import Testing

/// Services are added and removed while Bumble clients are connected, and while they are not.
@Suite(.needsPeers) struct ServingCachingTests {
    private static let serviceChanged = BluetoothUUID(0x2A05)
    private static let supportedFeatures = BluetoothUUID(0x2B29)
    private static let hash = BluetoothUUID(0x2B2A)

    private static let newcomer = GATT.ServiceDefinition(
        Demo.uuid(0x400),
        [.init(Demo.uuid(0x401), .read, value: .stored([4]))]
    )

    @Test(
        "A connected client receives Service Changed for each change",
        arguments: ControllerKind.available
    )
    func connectedClient(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let (client, _) = try await server.client()
            let changed = try await client.handle(Self.serviceChanged)
            try await client.subscribe(to: changed, indicates: true)
            let before = try await client.read(uuid: Self.hash).map(\.value)
            let added = try await server.host.publish(Self.newcomer)
            let changes = try await client.values(1, of: changed)
            #expect(changes.map(\.bytes) == [Self.range(added)])
            let between = try await client.read(uuid: Self.hash).map(\.value)
            #expect(between != before)
            try await server.host.unpublish(added)
            #expect(try await client.values(1, of: changed).map(\.bytes) == [Self.range(added)])
            #expect(try await client.read(uuid: Self.hash).map(\.value) == before)
        }
    }

    /// A bonded client with a cached database does not get values at outdated handles: until it is
    /// aware of a change that it missed, its requests are refused (Vol 3, Part G, 2.5.2.1).
    @Test(
        "A returning bonded client receives Service Changed before any value",
        arguments: ControllerKind.available
    )
    func returningClient(kind: ControllerKind) async throws {
        try await withServer(
            on: kind,
            configuration: BondedClient.configuration(isAuthenticated: false),
            serving: [SampleValues.service]
        ) { server in
            let client = try await server.fixture.client()
            let short = try server.handle(SampleValues.short)
            let changed = try await prepare(client, server)
            try await leave(client, server)
            try await server.host.unpublish(server.services[0])
            let added = try await server.host.publish(Self.newcomer)

            _ = try await server.connect(client, mtu: nil)
            try await client.confirms(false)
            try await client.encrypt(with: BondedClient.key)
            let changes = try await client.values(1, of: changed)
            #expect(changes[0].kind == .indication)
            #expect(changes[0].bytes.changedHandles.contains(added.service.handle))
            await #expect(throws: Client.Failure.refused(.databaseOutOfSync)) {
                try await client.read(short)
            }
            try await client.send([0x1E])
            let value = try #require(added.characteristics.first).valueHandle
            #expect(try await client.read(value) == [4])
        }
    }

    /// The refusal informs a client that has not subscribed to Service Changed. The client becomes
    /// change-aware when it has read the hash and repeats its request.
    @Test(
        "The server answers a change-unaware client after it has read the hash",
        arguments: ControllerKind.available
    )
    func readHash(kind: ControllerKind) async throws {
        try await withServer(
            on: kind,
            configuration: BondedClient.configuration(isAuthenticated: false),
            serving: [SampleValues.service]
        ) { server in
            let client = try await server.fixture.client()
            let short = try server.handle(SampleValues.short)
            _ = try await prepare(client, server, subscribes: false)
            try await leave(client, server)
            try await server.host.publish(Self.newcomer)

            _ = try await server.connect(client, mtu: nil)
            try await client.encrypt(with: BondedClient.key)
            await #expect(throws: Client.Failure.refused(.databaseOutOfSync)) {
                try await client.read(short)
            }
            #expect(try await client.read(uuid: Self.hash).count == 1)
            #expect(try await client.read(short) == Demo.pattern(20))
        }
    }

    @Test(
        "A bonded client keeps its subscription while it is disconnected",
        arguments: ControllerKind.available
    )
    func keptSubscription(kind: ControllerKind) async throws {
        try await withServer(
            on: kind,
            configuration: BondedClient.configuration(isAuthenticated: false),
            serving: [SampleValues.service]
        ) { server in
            let client = try await server.fixture.client()
            _ = try await prepare(client, server)
            let notified = try server.handle(SampleValues.notified)
            try await client.subscribe(to: notified)
            try await leave(client, server)

            let link = try await server.connect(client)
            try await client.encrypt(with: BondedClient.key)
            try await server.recorder.subscription(of: notified, .notification)
            try await link.notify([9], of: notified)
            #expect(try await client.values(1, of: notified).map(\.bytes) == [[9]])
        }
    }

    /// Connects and encrypts, enables robust caching, and subscribes to Service Changed. Returns
    /// the handle of Service Changed.
    private func prepare(
        _ client: Client,
        _ server: Server,
        subscribes: Bool = true
    ) async throws -> AttributeHandle {
        _ = try await server.connect(client)
        try await client.encrypt(with: BondedClient.key)
        try await client.write([0b001], to: client.handle(Self.supportedFeatures))
        let changed = try await client.handle(Self.serviceChanged)
        if subscribes { try await client.subscribe(to: changed, indicates: true) }
        return changed
    }

    private func leave(_ client: Client, _ server: Server) async throws {
        try await client.disconnect()
        try await server.recorder.wait(for: "the end of the link") {
            if case .disconnected = $0 { true } else { false }
        }
    }

    /// Returns the value of Service Changed for a service that was added or removed.
    private static func range(_ service: GATT.DiscoveredService) -> [UInt8] {
        [service.service.handle, service.service.endHandle].flatMap {
            [UInt8($0.rawValue & 0xFF), UInt8($0.rawValue >> 8)]
        }
    }
}

extension [UInt8] {
    /// The handles in a value of Service Changed (Vol 3, Part G, 7.1).
    fileprivate var changedHandles: ClosedRange<AttributeHandle> {
        guard count == 4 else { return .last ... .last }
        let first = UInt16(self[0]) | UInt16(self[1]) << 8
        let last = UInt16(self[2]) | UInt16(self[3]) << 8
        return AttributeHandle(first)...AttributeHandle(Swift.max(first, last))
    }
}
