// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Bumble's server has a Database Hash.
@Suite(.needsPeers) struct CachingTests {
    @Test(
        "Discovery of the whole database finds the same as discovery service by service",
        arguments: ControllerKind.available,
        [Accessory.Profile.demo, .large]
    )
    func wholeTable(
        kind: ControllerKind,
        profile: Accessory.Profile
    ) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link(to: profile)
            let database = try await link.database()
            #expect(database.services.count > 2)
            let parts = try await Self.parts(of: link)
            #expect(database.services == parts)
        }
    }

    @Test(
        "The second link discovers an unchanged database with less than half the packets",
        arguments: ControllerKind.available
    )
    func unchangedTable(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (first, _) = try await fixture.link(to: .large)
            let before = fixture.wire.count
            let found = try await first.database()
            let cost = fixture.wire.count - before
            try await first.disconnect()

            let second = try await fixture.connect()
            // The MTU exchange and the other initial procedures of a link are over after the first
            // answer.
            _ = try await second.read(uuid: BluetoothUUID(0x2A00))
            let count = fixture.wire.count
            #expect(try await second.database() == found)
            let costAgain = fixture.wire.count - count
            #expect(cost > 30, "a whole discovery")
            // The hash costs a request, its answer, and the controllers' events for both. Packets
            // of the host's background procedures may be between them.
            #expect(costAgain < cost / 2, "\(costAgain) packets after \(cost)")
        }
    }

    /// Returns the result of discovery service by service. A secondary service is in the result
    /// only if another service includes it.
    private static func parts(of link: Link) async throws -> [GATT.DiscoveredService] {
        let all = try await link.discoverServices() + link.discoverSecondaryServices()
        var parts: [GATT.DiscoveredService] = []
        for service in all.sorted(by: { $0.handle < $1.handle }) {
            var characteristics: [GATT.DiscoveredCharacteristic] = []
            for found in try await link.discoverCharacteristics(of: service) {
                let descriptors = try await link.discoverDescriptors(of: found)
                characteristics.append(.init(characteristic: found, descriptors: descriptors))
            }
            parts.append(
                .init(
                    service: service,
                    includes: try await link.discoverIncludedServices(of: service),
                    characteristics: characteristics
                )
            )
        }
        let included = Set(parts.flatMap(\.includes).map(\.service.handle))
        return parts.filter { $0.service.isPrimary || included.contains($0.service.handle) }
    }
}
