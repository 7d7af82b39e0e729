// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Our host advertises, and Bumble receives the advertisements and connects.
@Suite(.needsPeers) struct AdvertisingTests {
    private static let own = DeviceAddress(value: 0xF1E0_0000_0001, kind: .random)
    private static let observer = DeviceAddress(value: 0xF1C0_0000_0001, kind: .random)

    private static var configuration: HostConfiguration {
        var configuration = HostConfiguration()
        configuration.address = own
        return configuration
    }

    /// Bumble's controller answers scan requests with the advertising data, sends no directed
    /// advertising, and does not send on secondary channels.
    private static let complete = ControllerKind.available.filter { $0 != .bumble }

    private static var lamp: AdvertisingContent {
        var content = AdvertisingContent(localName: "A lamp in the attic")
        content.serviceUUIDs = [BluetoothUUID(0x1815)]
        content.manufacturerData = [.init(company: 0xFFFF, bytes: [1, 2, 3])]
        content.appearance = 0x0580
        return content
    }

    @Test(
        "Bumble receives the advertised data, and the scan response if the controller sends it",
        arguments: ControllerKind.available
    )
    func advertisedData(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind, configuration: Self.configuration) { fixture in
            let set = try await fixture.host.advertise(Advertising(Self.lamp))
            #expect(set.layout.omissions.isEmpty)
            let received = try await fixture.peers.observer(
                on: fixture.controllers.adapters[1],
                until: 2,
                of: Self.own
            )
            let advertisement = try #require(received.advertisements.first)
            #expect(advertisement.data == set.layout.advertisingData.bytes)
            #expect(advertisement.isConnectable && !advertisement.isDirected)
            guard kind != .bumble else { return }
            #expect(advertisement.isLegacy && advertisement.isScannable)
            #expect(received.responses.first?.data == set.layout.scanResponse.bytes)
        }
    }

    @Test("The host shortens a name that is too long", arguments: ControllerKind.available)
    func longName(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind, configuration: Self.configuration) { fixture in
            let name = String(repeating: "Lanyard ", count: 6)
            let set = try await fixture.host.advertise(
                Advertising(AdvertisingContent(localName: name, flags: nil))
            )
            let received = try await fixture.peers.observer(
                on: fixture.controllers.adapters[1],
                until: 1,
                of: Self.own
            )
            // Bumble's controller may answer a scan request with the advertisement again.
            let sent = Set(
                received.reports.compactMap { AdvertisingData($0.data).shortenedLocalName }
            )
            #expect(sent == [String(name.prefix(29))])
            #expect(set.layout.omissions == [.nameShortened(String(name.prefix(29)))])
        }
    }

    @Test(
        "The host continues to advertise after Bumble has connected",
        arguments: ControllerKind.available
    )
    func connection(kind: ControllerKind) async throws {
        try await withHostFixture(
            on: kind,
            accessoryLimit: 2,
            configuration: Self.configuration
        ) { fixture in
            let incoming = fixture.host.incomingLinks
            _ = try await fixture.host.advertise(Advertising(Self.lamp))
            let central = try await fixture.peers.observer(
                on: fixture.controllers.adapters[1],
                until: 1,
                of: Self.own,
                connects: true
            )
            #expect(central.role == "CENTRAL")
            let link = try await within(HostFixture.limit, "a link") {
                var links = incoming.makeAsyncIterator()
                return try #require(await links.next())
            }
            #expect(link.address == Self.observer)
            #expect(try await link.role == .peripheral)
            let again = try await fixture.peers.observer(
                on: fixture.controllers.adapters[2],
                until: 1,
                of: Self.own
            )
            #expect(again.advertisements.first?.isConnectable == true)
            central.process.kill()
        }
    }

    @Test(
        "Bumble receives two advertising sets from their own addresses, if the controller has two",
        arguments: ControllerKind.available
    )
    func twoSets(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind, configuration: Self.configuration) { fixture in
            let address = DeviceAddress(value: 0xF1E0_0000_0002, kind: .random)
            var beacon = Advertising(AdvertisingContent(localName: "Beacon"), kind: .nonConnectable)
            beacon.address = .random(address)
            let content = AdvertisingContent(localName: "Lamp")
            _ = try await fixture.host.advertise(Advertising(content))
            do {
                _ = try await fixture.host.advertise(beacon)
            } catch AdvertisingError.tooManySets(let limit) {
                // A controller may support only one advertising set.
                return #expect(limit == 1)
            }
            let received = try await fixture.peers.observer(
                on: fixture.controllers.adapters[1],
                until: 3
            )
            let names = Dictionary(
                received.advertisements.map { ($0.address, AdvertisingData($0.data).localName) }
            ) { first, _ in first }
            #expect(names == [Self.own.description: "Lamp", address.description: "Beacon"])
        }
    }

    @Test("Bumble receives all of the extended advertising data", arguments: complete)
    func extendedData(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind, configuration: Self.configuration) { fixture in
            let bytes = (0..<4).flatMap { number -> [UInt8] in
                [49, 0xFF] + [UInt8](repeating: UInt8(number), count: 48)
            }
            var long = Advertising(
                rawAdvertisingData: bytes,
                kind: .nonConnectable,
                form: .extended
            )
            long.setIdentifier = 7
            _ = try await fixture.host.advertise(long)
            let received = try await fixture.peers.observer(
                on: fixture.controllers.adapters[1],
                until: 1,
                of: Self.own
            )
            let advertisement = try #require(received.advertisements.first)
            #expect(advertisement.data == bytes)
            #expect(!advertisement.isLegacy && !advertisement.isConnectable)
            #expect(advertisement.setIdentifier == 7)
        }
    }

    @Test("The addressed Bumble central connects to directed advertising", arguments: complete)
    func directed(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind, configuration: Self.configuration) { fixture in
            let calling = Advertising(kind: .directed(Self.observer, .low))
            let set = try await fixture.host.advertise(calling)
            let central = try await fixture.peers.observer(
                on: fixture.controllers.adapters[1],
                until: 1,
                of: Self.own,
                connects: true
            )
            let advertisement = try #require(central.advertisements.first)
            #expect(advertisement.isDirected && advertisement.isConnectable)
            #expect(advertisement.data.isEmpty)
            #expect(central.role == "CENTRAL")
            let end = try await within(HostFixture.limit, "the end of the set") {
                try await set.ended()
            }
            #expect(end == .connected)
        }
    }
}
