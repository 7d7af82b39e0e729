// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// Our host receives BlueZ's advertisements before either side connects.
@Suite(.machines) struct AccessoryDiscoveryTests {
    private static let heartRate = BluetoothUUID(0x180D)
    private static let company = 0xFFFF

    @Test(
        "The host receives the name, services, manufacturer data and service data",
        arguments: Setting.all
    )
    func advertisements(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "discovery") { bluez in
            let properties = try await bluez.powerOn(name: "never on the air")
            let host = try await bluez.makeHost()
            try await bluez.advertise(
                name: "Thermometer",
                services: [Self.heartRate, BluetoothUUID(0x1809)],
                [
                    "manufacturer": .object(["\(Self.company)": .string("010203")]),
                    "service_data": .object([BluetoothUUID(0x180F).bluez: .string("64")]),
                ]
            )
            let found = try await host.awaitDiscovery { $0.data.localName == "Thermometer" }
            #expect(found.address == DeviceAddress(properties["Address"].text ?? "", kind: .public))
            #expect(found.isConnectable)
            #expect(found.isLegacy)
            #expect(found.data.serviceUUIDs == [Self.heartRate, BluetoothUUID(0x1809)])
            #expect(found.data.serviceData == [BluetoothUUID(0x180F): [0x64]])
            #expect(found.data.manufacturerData?.company == UInt16(Self.company))
            #expect(found.data.manufacturerData?.bytes == [1, 2, 3])
        }
    }

    @Test("Each filter reports only the advertisements that match it", arguments: Setting.all)
    func filters(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "discovery by filter") { bluez in
            try await bluez.powerOn()
            let host = try await bluez.makeHost()
            var byPrefix = ScanFilter()
            byPrefix.namePrefix = "want"
            var connectable = ScanFilter()
            connectable.requiresConnectable = true
            let named = host.scan(for: byPrefix)
            let served = host.scan(for: ScanFilter(services: [BlueZTable.uuid]))
            let connected = host.scan(for: connectable)
            // Every filter receives this advertisement and drops it.
            try await bluez.advertise(
                name: "other",
                services: [Self.heartRate],
                ["number": .number(2), "type": .string("broadcast")]
            )
            let other = try await host.awaitDiscovery { $0.data.localName == "other" }
            #expect(!other.isConnectable)
            try await bluez.advertise(name: "wanted", services: [BlueZTable.uuid])
            #expect(try await first(of: named).data.localName == "wanted")
            #expect(try await first(of: served).data.serviceUUIDs == [BlueZTable.uuid])
            #expect(try await first(of: connected).isConnectable)
        }
    }

    private func first(
        of scan: AsyncThrowingStream<Advertisement, any Error>
    ) async throws -> Advertisement {
        try await within(Limits.discovery, "an advertisement") {
            for try await found in scan { return found }
            throw HostError.closed
        }
    }

    @Test(
        "The host reports an extended advertisement as extended",
        arguments: Setting.eachRelease
    )
    func extendedAdvertisements(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "extended advertisement") { bluez in
            try await bluez.powerOn()
            let host = try await bluez.makeHost()
            // The data is no longer than that of a legacy advertisement, because btvirt overruns
            // one of its buffers with more. btvirt also reports LE 1M for data on any PHY.
            let bytes = BlueZTable.pattern(20)
            try await bluez.advertise([
                "manufacturer": .object(["\(Self.company)": .bytes(bytes)]),
                "secondary": .string("1M"),
            ])
            let found = try await host.awaitDiscovery { $0.data.manufacturerData?.bytes == bytes }
            #expect(!found.isLegacy)
            #expect(!found.isTruncated)
            #expect(found.isConnectable)
            #expect(found.secondaryPHY == .le1M)
        }
    }
}

extension BluetoothHost {
    /// Waits for a discovery that matches.
    func awaitDiscovery(
        _ filter: ScanFilter = ScanFilter(),
        where choose: @escaping @Sendable (Advertisement) -> Bool
    ) async throws -> Advertisement {
        try await within(Limits.discovery, "an advertisement") {
            for try await found in self.scan(for: filter) where choose(found) { return found }
            throw HostError.closed
        }
    }
}
