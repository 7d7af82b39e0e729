// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

import enum LanyardTestSupport.RunSeed

@Suite("Random advertising commands")
struct AdvertisingFuzzTests {
    private static let opcodes: [HCI.Opcode] = [
        .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters,
        .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
        .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
    ]
    private static let legacyOpcodes: [HCI.Opcode] = [
        .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData,
        .leSetAdvertisingEnable,
    ]

    /// The properties of valid kinds of advertising, and of invalid kinds.
    private static let properties: [UInt16] = [
        0x00, 0x01, 0x02, 0x04, 0x05, 0x10, 0x12, 0x13, 0x15, 0x1D, 0x20, 0x41, 0x40, 0x7F,
    ]

    /// Returns one of three handles.
    private func handle(_ generator: inout SplitMix64) -> UInt8 { UInt8(generator.next() % 3) }

    /// Returns mostly valid parameters.
    private func parameters(_ generator: inout SplitMix64) -> HCI.LESetExtendedAdvertisingParameters
    {
        let raw = Self.properties[Int(generator.next() % UInt64(Self.properties.count))]
        let properties = HCI.AdvertisingProperties(rawValue: raw)
        var parameters = TestHost.setParameters(handle(&generator), properties, interval: 32...160)
        parameters.primaryPHY = generator.next() % 3 == 0 ? .leCoded : .le1M
        parameters.secondaryPHY = PHY(rawValue: 1 + UInt8(generator.next() % 3))
        parameters.channels = HCI.AdvertisingChannels(rawValue: UInt8(generator.next() % 8))
        parameters.ownAddressType = HCI.OwnAddressType(rawValue: UInt8(generator.next() % 4))
        parameters.reportsScanRequests = generator.next() % 2 == 0
        return parameters
    }

    private func command(_ generator: inout SplitMix64) -> any HCICommand {
        let count = Int(generator.next() % 252)
        let data = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        let operation = HCI.DataOperation(rawValue: UInt8(generator.next() % 6))
        let set = handle(&generator)
        switch generator.next() % 8 {
        case 0, 1: return parameters(&generator)
        case 2:
            return HCI.LESetExtendedAdvertisingData(
                advertisingHandle: set,
                operation: operation,
                data: data[...]
            )
        case 3:
            return HCI.LESetExtendedScanResponseData(
                advertisingHandle: set,
                operation: operation,
                data: data[...]
            )
        case 4, 5:
            let run = HCI.AdvertisingSetRun(
                advertisingHandle: set,
                duration: HCI.Timeout(rawValue: UInt16(generator.next() % 20)),
                eventLimit: UInt8(generator.next() % 4)
            )
            return HCI.LESetExtendedAdvertisingEnable(
                isEnabled: generator.next() % 4 > 0,
                sets: [run]
            )
        case 6: return HCI.LERemoveAdvertisingSet(advertisingHandle: set)
        default:
            let address = HCI.BareAddress(value: generator.next())
            return HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: set, address: address)
        }
    }

    @Test(
        "With random commands, packets have valid lengths and channels, and never overlap",
        arguments: RunSeed.seeds(20)
    )
    func sensible(seed: UInt64) throws {
        let world = World(seed: seed)
        let host = try TestHost(world)
        let sniffer = Sniffer(world)
        try host.unmaskEverything()
        var generator = SplitMix64(seed: seed)
        for _ in 0..<400 {
            try host.status(command(&generator))
            world.run(for: .microseconds(Int64(generator.next() % 60_000)))
        }
        let inOrder = sniffer.packets.sorted { $0.start < $1.start }
        #expect(!inOrder.isEmpty)
        for (one, next) in zip(inOrder, inOrder.dropFirst()) {
            #expect(next.start >= one.end)
        }
        for packet in sniffer.packets {
            #expect(packet.pduLength <= 2 + PacketLength.advertisingPayloadLimit)
            #expect(
                (packet.extended?.kind == .primary || packet.legacy != nil)
                    == (packet.channel >= 37)
            )
        }
    }

    @Test("Random bytes never trap", arguments: RunSeed.seeds(20))
    func bytes(seed: UInt64) throws {
        let world = World(seed: seed)
        let host = try TestHost(world)
        var generator = SplitMix64(seed: seed)
        let opcodes = seed % 2 == 0 ? Self.opcodes : Self.legacyOpcodes
        for _ in 0..<1000 {
            let opcode = opcodes[Int(generator.next() % UInt64(opcodes.count))]
            let count = UInt8(generator.next() % 60)
            let mask: UInt8 = generator.next() % 2 == 0 ? 0x03 : 0xFF
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) & mask }
            host.send(HCI.Packet.command(opcode: opcode, parameters: bytes[...]).h4Bytes)
            world.run(for: .milliseconds(5))
        }
    }

    @Test("With the same seed, the same packets are sent at the same times")
    func reproducible() throws {
        func trace() throws -> [String] {
            let world = World(seed: 99)
            let sniffer = Sniffer(world)
            for handle in 1...5 as ClosedRange<UInt8> {
                let host = try TestHost(world)
                try host.perform(TestHost.setParameters(handle, [.connectable], interval: 32...32))
                try host.setData([UInt8](repeating: handle, count: 100), of: handle)
                try host.enable(HCI.AdvertisingSetRun(advertisingHandle: handle))
                withExtendedLifetime(host) { _ = world.run(for: .seconds(2)) }
                world.attach(host.id, nil)
            }
            return sniffer.packets.map { "\($0.start.nanoseconds) \($0.channel) \($0.sender)" }
        }
        let one = try trace()
        #expect(one.count > 1000)
        #expect(try trace() == one)
    }
}
