// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// BlueZ scans, and shows our host's advertisements on D-Bus.
@Suite(.machines) struct BeingFoundTests {
    private static let company: UInt16 = 0xFFFF
    private static let battery = BluetoothUUID(0x180F)

    @Test("BlueZ receives all of the advertised data", arguments: Setting.all)
    func advertisements(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "discovery") { bluez in
            let found = try await Self.found(Advertising(Self.short), by: bluez)
            #expect(found["Name"].text == "A server")
            #expect(found["Address"].text == "\(ServerFixture.address)")
            #expect(found["AddressType"].text == "random")
            #expect(found["Appearance"].integer == 0x0341)
            #expect(found["TxPower"].integer == -7)
            Self.expectServices([Self.battery, BluetoothUUID(0x180A)], in: found)
            Self.expectData([1, 2, 3], serviceData: [87], in: found)
        }
    }

    /// Extended advertising of Bluetooth 5. The data has at most 31 bytes, because btvirt crashes
    /// with more.
    @Test("BlueZ receives an extended advertisement", arguments: Setting.eachRelease)
    func extendedAdvertisements(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "extended advertisement") { bluez in
            let found = try await Self.found(Advertising(Self.extended, form: .extended), by: bluez)
            #expect(found["Name"].text == "A server")
            Self.expectServices([Self.battery], in: found)
            #expect(found["ManufacturerData"]["\(Self.company)"].bytes == [1, 2, 3])
        }
    }

    // MARK: Advertised data

    private static let short: AdvertisingContent = {
        var content = AdvertisingContent(
            localName: "A server",
            serviceUUIDs: [battery, BluetoothUUID(0x180A)]
        )
        content.manufacturerData = [.init(company: company, bytes: [1, 2, 3])]
        content.serviceData = [.init(uuid: battery, bytes: [87])]
        content.appearance = 0x0341
        content.transmitPower = .level(-7)
        return content
    }()

    private static let extended: AdvertisingContent = {
        var content = AdvertisingContent(localName: "A server", serviceUUIDs: [battery])
        content.manufacturerData = [.init(company: company, bytes: [1, 2, 3])]
        return content
    }()

    /// Returns the properties that BlueZ shows for a host with this advertisement.
    private static func found(
        _ advertising: Advertising,
        by bluez: BlueZ
    ) async throws -> JSON {
        try await bluez.powerOn()
        return try await withServer(near: bluez) { server in
            await server.advertising.stop()
            var advertising = advertising
            advertising.interval = .milliseconds(30) ... .milliseconds(40)
            _ = try await server.host.advertise(advertising)
            return try await bluez.findServer()
        }
    }

    private static func expectServices(_ uuids: [BluetoothUUID], in found: JSON) {
        let listed = Set(found["UUIDs"].elements.compactMap(\.text))
        #expect(listed.isSuperset(of: uuids.map(\.bluez)))
    }

    private static func expectData(
        _ manufacturerData: [UInt8],
        serviceData: [UInt8],
        in found: JSON
    ) {
        #expect(found["ManufacturerData"]["\(company)"].bytes == manufacturerData)
        #expect(found["ServiceData"][battery.bluez].bytes == serviceData)
    }
}
