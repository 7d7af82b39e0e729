// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import Testing
import VirtualAdapters
import VirtualRadio

/// The modes of advertising, as another host receives them on the virtual radio.
@Suite("Modes of advertising, in virtual time")
struct BroadcastTests {
    /// Runs the body with an advertising host and a host that scans.
    static func withHosts(
        phoneAddress: DeviceAddress? = nil,
        _ body: @escaping @Sendable (BluetoothHost, BluetoothHost) async throws -> Void
    ) async throws {
        let air = SimulatedAir(seed: 11)
        air.world.watchInvariants()
        let own = try air.addAdapter(ControllerConfiguration(name: "beacon"))
        let other = try air.addAdapter(
            ControllerConfiguration(name: "phone", at: Position(x: 2, y: 0))
        )
        try await air.run(bound: .seconds(300)) { [air] in
            let beacon = BluetoothHost(transport: own, executor: air.executor)
            var configuration = HostConfiguration()
            configuration.address = phoneAddress
            let phone = BluetoothHost(
                transport: other,
                configuration: configuration,
                executor: air.executor
            )
            for host in [beacon, phone] { try await host.start() }
            let result: Result<Void, any Error>
            do { result = .success(try await body(beacon, phone)) } catch {
                result = .failure(error)
            }
            for host in [beacon, phone] { await host.shutdown() }
            try result.get()
        }
        air.world.finishWatching()
        #expect(air.world.violations.isEmpty, "\(air.world)")
    }

    /// Returns the first advertisement that matches.
    static func receive(
        _ host: BluetoothHost,
        _ predicate: @Sendable (Advertisement) -> Bool
    ) async throws -> Advertisement {
        for try await found in host.scan(reportsDuplicates: true) where predicate(found) {
            return found
        }
        throw CancellationError()
    }

    /// Expects that a connection attempt times out.
    private static func expectNoConnection(_ host: BluetoothHost, to address: DeviceAddress) async {
        await #expect(throws: HostError.self) {
            try await host.connect(
                to: address,
                options: ConnectOptions(timeout: .seconds(3))
            )
        }
    }

    @Test(
        "GAP/BROB/BCST/BV-02-C: A scannable broadcast answers scan requests and accepts no connection"
    )
    func scannable() async throws {
        try await Self.withHosts { beacon, phone in
            let broadcast = Advertising(
                rawAdvertisingData: [3, 0x03, 0x0D, 0x18],
                scanResponse: [5, 0x09] + Array("Lamp".utf8),
                kind: .scannable
            )
            _ = try await beacon.advertise(broadcast)
            let found = try await Self.receive(phone) { $0.data.localName == "Lamp" }
            #expect(found.data.serviceUUIDs == [BluetoothUUID(0x180D)])
            #expect(found.isScannable && !found.isConnectable)
            await Self.expectNoConnection(phone, to: found.address)
        }
    }

    @Test("GAP/BROB/BCST/BV-03-C: A host with privacy broadcasts with a resolvable private address")
    func privateBroadcast() async throws {
        let harness = try PrivateHostsHarness(rotation: .seconds(10))
        try await harness.run { phone, lamp, _ in
            _ = try await lamp.advertise(
                Advertising(AdvertisingContent(localName: "Beacon"), kind: .nonConnectable)
            )
            let found = try await Self.receive(phone) { $0.isIdentityResolved }
            #expect(found.address == PrivateHostsHarness.lamp.address && !found.isConnectable)
        }
        #expect(!harness.recorder.received.advertisers.isEmpty)
    }

    @Test(
        "GAP/DISC/NONM/BV-01-C: A non-discoverable broadcast has no flags and accepts no connection"
    )
    func nonDiscoverable() async throws {
        try await Self.withHosts { beacon, phone in
            let content = AdvertisingContent(localName: "Lamp", flags: nil)
            _ = try await beacon.advertise(Advertising(content, kind: .nonConnectable))
            let found = try await Self.receive(phone) { $0.data.localName == "Lamp" }
            #expect(found.data.flags == nil && !found.isConnectable)
            await Self.expectNoConnection(phone, to: found.address)
        }
    }

    @Test(
        "GAP/DISC/NONM/BV-02-C, GAP/CONN/UCON/BV-01-C: A central connects to a device without flags"
    )
    func connectableNonDiscoverable() async throws {
        try await Self.withHosts { beacon, phone in
            let content = AdvertisingContent(localName: "Lamp", flags: nil)
            _ = try await beacon.advertise(Advertising(content))
            let found = try await Self.receive(phone) { $0.data.localName == "Lamp" }
            #expect(found.data.flags == nil && found.isConnectable)
            let link = try await phone.connect(to: found.address)
            #expect(try await link.role == .central)
        }
    }

    @Test(
        "GAP/DISC/GENM/BV-03-C, GAP/CONN/NCON/BV-02-C: A discoverable broadcast accepts no connection"
    )
    func discoverable() async throws {
        try await Self.withHosts { beacon, phone in
            let content = AdvertisingContent(localName: "Lamp")
            _ = try await beacon.advertise(Advertising(content, kind: .nonConnectable))
            let found = try await Self.receive(phone) { $0.data.localName == "Lamp" }
            #expect(found.data.flags == [.generalDiscoverable, .brEdrNotSupported])
            #expect(!found.isConnectable)
            await Self.expectNoConnection(phone, to: found.address)
        }
    }

    private static let limited = AdvertisingContent(
        localName: "Lamp",
        flags: [.limitedDiscoverable, .brEdrNotSupported]
    )

    @Test(
        "GAP/DISC/LIMM/BV-03-C, GAP/DISC/LIMM/BV-04-C: A limited discoverable set ends",
        arguments: [Advertising.Kind.nonConnectable, .connectable]
    )
    func limitedDiscoverable(kind: Advertising.Kind) async throws {
        try await Self.withHosts { beacon, phone in
            var advertising = Advertising(Self.limited, kind: kind)
            // TGAP(lim_adv_timeout), Vol 3, Part C, Appendix A.
            advertising.duration = .seconds(180)
            let set = try await beacon.advertise(advertising)
            let found = try await Self.receive(phone) { $0.data.localName == "Lamp" }
            #expect(found.data.flags == [.limitedDiscoverable, .brEdrNotSupported])
            #expect(found.isConnectable == (kind == .connectable))
            #expect(try await set.ended() == .durationElapsed)
        }
    }

    @Test("GAP/CONN/UCON/BV-03-C: A central connects to a limited discoverable device")
    func limitedConnectable() async throws {
        try await Self.withHosts { beacon, phone in
            _ = try await beacon.advertise(Advertising(Self.limited))
            let found = try await Self.receive(phone) { $0.data.localName == "Lamp" }
            #expect(found.data.flags == [.limitedDiscoverable, .brEdrNotSupported])
            let link = try await phone.connect(to: found.address)
            #expect(try await link.role == .central)
        }
    }
}
