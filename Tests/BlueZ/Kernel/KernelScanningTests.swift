// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import ProcessTestSupport
import Testing

/// The kernel scans and advertises with our virtual controller.
@Suite(.machines) struct KernelScanningTests {
    private static let manufacturer = AdvertisingData.ManufacturerData(
        company: 0xFFFF,
        bytes: [1, 2, 3, 4]
    )

    @Test("BlueZ discovers the host's advertised data", arguments: Setting.all)
    func bluezDiscovers(_ setting: Setting) async throws {
        try await withKernel(setting, as: .central, "discovery, our controller") { fixture in
            let host = try await fixture.kernelAir.makeHost()
            var content = AdvertisingContent(
                localName: "Nearby",
                serviceUUIDs: [SharedService.service]
            )
            content.manufacturerData = [Self.manufacturer]
            _ = try await host.advertise(Advertising(content))
            try await fixture.bluez.powerOn()
            try await fixture.bluez.scan()
            let path = try await fixture.bluez.device(named: "Nearby")
            #expect(path == fixture.bluez.path(of: await host.identityAddress))
            let device = try await fixture.bluez.device(path)
            #expect(device["AddressType"].text == "random")
            #expect(device["UUIDs"].elements == [.string(SharedService.service.bluez)])
            #expect(device["ManufacturerData"]["65535"].bytes == Self.manufacturer.bytes)
            try await fixture.bluez.stopScan()
            let isExtended = Set(try await fixture.wire().commands)
                .contains(.leSetExtendedScanEnable)
            #expect(isExtended == (setting.generation == .five))
        }
    }

    /// BlueZ 5.66 accepts at most 31 bytes of manufacturer data for one company.
    private static let companies: [UInt16: [UInt8]] = Dictionary(
        uniqueKeysWithValues: (0..<7).map { number in
            (0xFF00 + number, [UInt8](repeating: UInt8(number), count: 20))
        }
    )

    @Test("BlueZ discovers long advertisements on every PHY", arguments: Setting.eachRelease)
    func bluezDiscoversLongData(_ setting: Setting) async throws {
        let row = "long advertisement, our controller"
        try await withKernel(setting, as: .central, row) { fixture in
            for phy in [PHY.le1M, .le2M, .leCoded] {
                let host = try await fixture.kernelAir.makeHost()
                var content = AdvertisingContent(localName: "\(phy)")
                content.manufacturerData = Self.companies.map { .init(company: $0, bytes: $1) }
                var advertising = Advertising(content, kind: .connectable, form: .extended)
                advertising.secondaryPHY = phy
                advertising.interval = .milliseconds(30) ... .milliseconds(40)
                _ = try await host.advertise(advertising)
            }
            try await fixture.bluez.powerOn()
            try await fixture.bluez.scan()
            for phy in [PHY.le1M, .le2M, .leCoded] {
                let path = try await fixture.bluez.device(named: "\(phy)")
                let device = try await fixture.bluez.device(path)
                for (company, bytes) in Self.companies {
                    #expect(device["ManufacturerData"]["\(company)"].bytes == bytes, "\(phy)")
                }
            }
            try await fixture.bluez.stopScan()
        }
    }

    @Test("The host discovers each advertisement of BlueZ", arguments: Setting.all)
    func hostDiscovers(_ setting: Setting) async throws {
        try await withKernel(setting, as: .peripheral, "discovery, our controller") { fixture in
            let host = try await fixture.kernelAir.makeHost()
            try await fixture.bluez.powerOn()
            try await fixture.bluez.advertise(
                name: "Kernel",
                services: [SharedService.service],
                ["manufacturer": .object(["65535": .bytes(Self.manufacturer.bytes)])]
            )
            let found = try await fixture.discover(host) { $0.data.localName == "Kernel" }
            #expect(found.address == KernelAir.kernelAddress)
            #expect(found.isConnectable)
            #expect(found.data.serviceUUIDs == [SharedService.service])
            #expect(found.data.manufacturerData == Self.manufacturer)

            // A 4.x controller sends only one advertisement at a time, so the kernel alternates.
            try await fixture.bluez.advertise(name: "Second", ["number": .number(2)])
            for name in ["Second", "Kernel"] {
                _ = try await fixture.discover(host) { $0.data.localName == name }
            }
            try await fixture.bluez.stopAdvertising()
            _ = try await fixture.discover(host) { $0.data.localName == "Second" }
        }
    }

    @Test(
        "The host discovers extended advertisements of BlueZ on every PHY",
        arguments: Setting.eachRelease
    )
    func hostDiscoversLongData(_ setting: Setting) async throws {
        let row = "long advertisement, our controller"
        try await withKernel(setting, as: .peripheral, row) { fixture in
            let host = try await fixture.kernelAir.makeHost()
            try await fixture.bluez.powerOn()
            // BlueZ 5.66 supports other PHYs, but at most 31 bytes of data.
            let isShort = setting.release == .bookworm
            let companies = isShort ? [:] : Self.companies
            let manufacturer = companies.map { ("\($0)", JSON.bytes($1)) }
            for (number, channel) in ["1M", "2M", "Coded"].enumerated() {
                try await fixture.bluez.advertise(
                    name: channel,
                    [
                        "number": .number(Double(number + 1)),
                        "manufacturer": .object(Dictionary(uniqueKeysWithValues: manufacturer)),
                        "secondary": .string(channel),
                    ]
                )
            }
            let phys: [(String, PHY)] = [("1M", .le1M), ("2M", .le2M), ("Coded", .leCoded)]
            for (channel, phy) in phys {
                let found = try await fixture.discover(host) { $0.data.localName == channel }
                #expect(!found.isLegacy)
                #expect(found.secondaryPHY == phy)
                let received = found.data.allManufacturerData.map { ($0.company, $0.bytes) }
                #expect(Dictionary(uniqueKeysWithValues: received) == companies)
            }
        }
    }

    @Test("BlueZ scans while it advertises", arguments: Setting.oldestAndLatest)
    func scanWhileAdvertising(_ setting: Setting) async throws {
        try await withKernel(
            setting,
            as: .central,
            "scan while advertising",
            allowing: setting.generation == .four ? [.randomAddressWhileAdvertising] : []
        ) { fixture in
            let host = try await fixture.kernelAir.makeHost()
            _ = try await host.advertise(Advertising(AdvertisingContent(localName: "Nearby")))
            try await fixture.bluez.powerOn()
            try await fixture.bluez.advertise(name: "Kernel")
            try await fixture.bluez.scan()
            _ = try await fixture.bluez.device(named: "Nearby")
            _ = try await fixture.discover(host) { $0.data.localName == "Kernel" }
            try await fixture.bluez.stopScan()
        }
    }
}
