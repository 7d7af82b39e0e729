// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Requests to the controllers about a link with Linux, on BlueZ's btvirt.
@Suite(.machines) struct RadioTests {
    @Test(
        "The host reads the signal strength and the version of Linux's controller",
        arguments: Setting.each(BlueZRole.peripheral, orElse: .central)
    )
    func strengthAndVersion(_ setting: Setting, _ role: BlueZRole) async throws {
        try await withLink(setting, as: role, "strength and version") { fixture in
            let version = try await fixture.link.readRemoteVersion()
            // 0x06 is 4.0. btvirt reports the company identifier of the Linux Foundation.
            #expect(version.version >= 0x06)
            #expect(version.company == 0x05F1)
            // btvirt's 4.x controllers do not measure the signal strength.
            guard setting.generation == .five else {
                await #expect(throws: HostError.unsupported("reading the signal strength")) {
                    try await fixture.link.readRSSI()
                }
                return
            }
            let rssi = try #require(try await fixture.link.readRSSI())
            let seen = try await fixture.bluez.connectionProperties(of: fixture.ourAddress)
            #expect(seen.contains("RSSI \(rssi)"))
        }
    }

    @Test(
        "A procedure that the controller does not support throws an error",
        arguments: Setting.all
    )
    func unsupportedProcedures(_ setting: Setting) async throws {
        try await withLink(setting, as: .peripheral, "no longer packets, no other PHYs") {
            fixture in
            await #expect(throws: HostError.unsupported("longer packets")) {
                try await fixture.link.requestDataLength()
            }
            await #expect(throws: HostError.unsupported("other PHYs")) {
                try await fixture.link.requestPHY(transmit: .le2M, receive: .le2M)
            }
            let properties = try await fixture.link.properties
            #expect(properties.dataLength.transmitBytes == DataLength.byteRange.lowerBound)
        }
    }
}

extension BlueZ {
    /// Returns the kernel's properties of its link with a random address.
    fileprivate func connectionProperties(of address: DeviceAddress) async throws -> String {
        // btmgmt waits forever when its input has ended.
        try await shell("echo | timeout 20 btmgmt conn-info -t 2 \(address.digits)")
    }
}
