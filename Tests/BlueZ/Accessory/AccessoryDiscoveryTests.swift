// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// Our host hears what BlueZ says of itself before anybody connects.
@Suite(.machines) struct AccessoryDiscoveryTests {
    private static let heartRate = BluetoothUUID(0x180D)
    private static let company = 0xFFFF

    @Test("Name, services, manufacturer's and services' data are heard", arguments: Setting.all)
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
            let found = try await host.hear { $0.data.localName == "Thermometer" }
            #expect(found.address == DeviceAddress(properties["Address"].text ?? "", kind: .public))
            #expect(found.isConnectable)
            #expect(found.isLegacy)
            #expect(found.data.serviceUUIDs == [Self.heartRate, BluetoothUUID(0x1809)])
            #expect(found.data.serviceData == [BluetoothUUID(0x180F): [0x64]])
            #expect(found.data.manufacturerData?.company == UInt16(Self.company))
            #expect(found.data.manufacturerData?.bytes == [1, 2, 3])
        }
    }

    @Test("Each filter lets through what it is for", arguments: Setting.all)
    func filters(_ setting: Setting) async throws {
        try await withAccessory(setting, "discovery by filter") { scene in
            var byPrefix = ScanFilter()
            byPrefix.namePrefix = "bluez-"
            var connectable = ScanFilter(services: [Exhibition.uuid])
            connectable.requiresConnectable = true
            for filter in [byPrefix, connectable] {
                let found = try await scene.host.hear(filter) { _ in true }
                #expect(found.address == scene.address)
            }
        }
    }

    @Test(
        "An extended advertisement is heard as one",
        arguments: Setting.all.filter { $0.generation == .five }
    )
    func extendedAdvertisements(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "extended advertising") { bluez in
            try await bluez.powerOn()
            let host = try await bluez.makeHost()
            // No longer than a legacy one: with more, btvirt overruns a buffer of its own. And it says
            // LE 1M whatever carries the data.
            let octets = Exhibition.pattern(20)
            try await bluez.advertise([
                "manufacturer": .object(["\(Self.company)": .octets(octets)]),
                "secondary": .string("1M"),
            ])
            let found = try await host.hear { $0.data.manufacturerData?.bytes == octets }
            #expect(!found.isLegacy)
            #expect(!found.isTruncated)
            #expect(found.isConnectable)
            #expect(found.secondaryPHY == .le1M)
        }
    }
}

extension BluetoothHost {
    /// Waits for a sighting that is such.
    func hear(
        _ filter: ScanFilter = ScanFilter(),
        where choose: @escaping @Sendable (Advertisement) -> Bool
    ) async throws -> Advertisement {
        try await within(Limits.discovery, "an advertisement") {
            for try await found in self.scan(for: filter) where choose(found) { return found }
            throw HostError.closed
        }
    }
}
