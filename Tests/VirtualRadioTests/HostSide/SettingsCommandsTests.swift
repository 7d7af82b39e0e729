// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Settings of a host") struct SettingsCommandsTests {
    private static let random = HCI.BareAddress(value: 0xC000_0000_0001)

    @Test(
        "A random address cannot be set during a scan or legacy advertising",
        arguments: [true, false]
    )
    func randomAddress(scans: Bool) throws {
        let host = try TestHost(World(seed: 1))
        let command = HCI.LESetRandomAddress(address: Self.random)
        #expect(try host.status(command) == .success)
        func begin(_ isEnabled: Bool) throws {
            if scans {
                try host.perform(
                    HCI.LESetScanEnable(isEnabled: isEnabled, filtersDuplicates: false)
                )
            } else {
                try host.perform(HCI.LESetAdvertisingEnable(isEnabled: isEnabled))
            }
        }
        try begin(true)
        #expect(try host.status(command) == .commandDisallowed)
        try begin(false)
        #expect(try host.status(command) == .success)
    }

    @Test("A random address of zero is refused") func noAddress() throws {
        let host = try TestHost(World(seed: 1))
        let zero = HCI.LESetRandomAddress(address: HCI.BareAddress(value: 0))
        #expect(try host.status(zero) == .invalidCommandParameters)
    }

    @Test("The suggested data length is kept until Reset") func suggestedDataLength() throws {
        let host = try TestHost(World(seed: 1))
        func read() throws -> (UInt16, UInt16) {
            let length = try host.perform(HCI.LEReadSuggestedDefaultDataLength())
            return (length.transmitBytes, length.transmitTime.rawValue)
        }
        #expect(try read() == (27, 328))
        try host.perform(
            HCI.LEWriteSuggestedDefaultDataLength(
                transmitBytes: 251,
                transmitTime: HCI.AirTime(rawValue: 2120)
            )
        )
        #expect(try read() == (251, 2120))
        try host.perform(HCI.Reset())
        #expect(try read() == (27, 328))
    }

    @Test(
        "The suggested data length must be valid",
        arguments: [
            (26, 328), (252, 328), (27, 327), (27, 17_041), (0, 0), (0xFFFF, 0xFFFF),
        ] as [(UInt16, UInt16)]
    )
    func impossibleDataLength(bytes: UInt16, time: UInt16) throws {
        let host = try TestHost(World(seed: 1))
        let command = HCI.LEWriteSuggestedDefaultDataLength(
            transmitBytes: bytes,
            transmitTime: HCI.AirTime(rawValue: time)
        )
        #expect(try host.status(command) == .invalidCommandParameters)
        #expect(try host.perform(HCI.LEReadSuggestedDefaultDataLength()).transmitBytes == 27)
    }

    @Test(
        "The default PHYs must be valid and supported",
        arguments: [
            (nil, .success), ([], .invalidCommandParameters), ([.le1M, .le2M, .coded], .success),
            (HCI.PHYSet(rawValue: 0x08), .unsupportedFeatureOrParameterValue),
            (HCI.PHYSet(rawValue: 0x0F), .unsupportedFeatureOrParameterValue),
        ] as [(HCI.PHYSet?, HCI.ErrorCode)]
    )
    func defaultPHY(phys: HCI.PHYSet?, status: HCI.ErrorCode) throws {
        let world = World(seed: 1)
        let host = try TestHost(world)
        let before = HCI.PHYPreference(transmit: [.le1M], receive: [.le1M])
        try host.perform(HCI.LESetDefaultPHY(preference: before))
        let preference = HCI.PHYPreference(transmit: phys, receive: phys)
        #expect(try host.status(HCI.LESetDefaultPHY(preference: preference)) == status)
        let kept = world.core.ether.links.resources[host.id.radio.index].capabilities.preference
        #expect(kept == (status == .success ? preference : before))
    }

    @Test("A channel classification must have at least one good channel") func channels() throws {
        let world = World(seed: 1)
        let host = try TestHost(world)
        func classify(_ channels: UInt64) throws -> HCI.ErrorCode {
            let map = HCI.ChannelMap(rawValue: channels)
            return try host.status(HCI.LESetHostChannelClassification(channels: map))
        }
        #expect(try classify(0x1F) == .success)
        #expect(try classify(0) == .invalidCommandParameters)
        #expect(world.core.controllers[host.id.radio.index].settings.channelMap == 0x1F)
    }

    @Test("The command for the host's LE support is accepted") func hostSupport() throws {
        let host = try TestHost(World(seed: 1))
        #expect(try host.status(HCI.WriteLEHostSupport(isSupported: false)) == .success)
        #expect(try host.status(HCI.WriteLEHostSupport()) == .success)
    }

    @Test("Reset clears all settings but keeps the controller's address") func reset() throws {
        let world = World(seed: 1)
        let host = try TestHost(world)
        let address = try host.perform(HCI.ReadBDAddress()).address
        try host.perform(HCI.LESetRandomAddress(address: Self.random))
        try host.perform(HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: false))
        try host.perform(HCI.LESetAdvertisingEnable(isEnabled: true))
        try host.perform(HCI.Reset())
        #expect(try host.perform(HCI.ReadBDAddress()).address == address)
        let controller = world.core.controllers[host.id.radio.index]
        #expect(controller.settings.randomAddress == nil)
        #expect(!controller.scanner.isEnabled && !controller.advertiser.isAdvertising)
        #expect(world.core.ether.listeners.isEmpty)
        // Nothing is pending, except a packet that was on the air.
        world.run(for: .milliseconds(1))
        #expect(world.nextInstant == nil)
    }
}
