// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport

// The connections between BlueZ and our host.
extension KernelFixture {
    /// Makes BlueZ serve `SharedService.ofBlueZ` and advertise, and makes our host connect and
    /// discover.
    func visitBlueZ(
        from host: BluetoothHost,
        io: BlueZ.InputOutput = .noInputNoOutput
    ) async throws -> FoundSharedService {
        try await serveSharedService(io: io)
        let link = try await host.connect(to: KernelAir.kernelAddress)
        return try await FoundSharedService(on: link)
    }

    /// Makes BlueZ serve `SharedService.ofBlueZ`, and advertise it once for each expected central:
    /// the kernel does not restart an advertising set that has led to a link.
    func serveSharedService(
        io: BlueZ.InputOutput = .noInputNoOutput,
        for centralCount: Int = 1
    ) async throws {
        try await bluez.powerOn(io: io)
        try await bluez.serve([SharedService.ofBlueZ])
        for number in 1...centralCount {
            try await bluez.advertise(
                name: "Kernel",
                services: [SharedService.service],
                ["number": .number(Double(number))]
            )
        }
    }

    /// Makes our host advertise and BlueZ scan for it. Returns the D-Bus path of our host in BlueZ.
    func findOurs(
        _ host: BluetoothHost,
        io: BlueZ.InputOutput = .noInputNoOutput
    ) async throws -> String {
        let content = AdvertisingContent(localName: "Ours", serviceUUIDs: [SharedService.service])
        var advertising = Advertising(content)
        advertising.interval = .milliseconds(30) ... .milliseconds(40)
        _ = try await host.advertise(advertising)
        try await bluez.powerOn(io: io)
        try await bluez.scan()
        let path = try await bluez.device(named: "Ours")
        try await bluez.stopScan()
        return path
    }

    /// Ends the only link from our side, and waits until bluetoothd has noticed the end.
    func end(_ link: Link) async throws {
        try await link.disconnect()
        try await bluez.isAlone()
    }

    /// Waits until bluetoothd has discovered all that our host serves. Linux 6.1 may crash if a
    /// link ends during the discovery.
    func isExplored(_ host: BluetoothHost) async throws {
        let path = bluez.path(of: await host.identityAddress)
        try await bluez.change(of: path, "ServicesResolved", to: .boolean(true))
    }

    /// Waits until a link ends. Returns the reason.
    func end(of link: Link) async throws -> HostError {
        try await within(Limits.step, "the end of a link") { try await link.ended() }
    }
}
