// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualRadio

@Suite("Random use of scanners and initiators")
struct ScanFuzzTests {
    private static let opcodes: [UInt8] = [
        0x0B, 0x0C, 0x0D, 0x0E, 0x11, 0x2D, 0x41, 0x42, 0x43, 0x05,
    ]

    @Test("Random commands among random packets do not trap", arguments: RunSeed.seeds(24))
    func random(seed: UInt64) throws {
        let world = World(seed: seed)
        let host = try TestHost(world, "target", at: 0)
        let sender = try TestHost(world, "sender", at: 1)
        var generator = RandomStream(seed: seed)
        for _ in 0..<300 {
            send(to: host, &generator)
            for _ in 0..<4 { transmit(world, sender, host, &generator) }
            world.run(for: .microseconds(Int64(generator.uniform(below: 5_000))))
        }
        world.run(for: .seconds(3))
        try host.perform(HCI.Reset())
        #expect(world.core.ether.listeners.isEmpty)
        let scanner = world.core.controllers[0].scanner
        #expect(scanner.follows.isEmpty && scanner.plan == nil)
    }

    /// Sends a command for scanning or initiating: often almost valid, sometimes completely random.
    private func send(to host: TestHost, _ generator: inout RandomStream) {
        let opcode = Self.opcodes[Int(generator.uniform(below: UInt64(Self.opcodes.count)))]
        let length = Int(generator.uniform(below: 30))
        let reach: UInt64 = generator.bernoulli(0.7) ? 3 : 256
        let parameters = (0..<length).map { _ in UInt8(generator.uniform(below: reach)) }
        switch generator.uniform(below: 4) {
        case 0: host.send([0x01, opcode, 0x20, UInt8(length)] + parameters)
        case 1: _ = try? host.status(TestHost.extendedScanParameters(.active, coded: (16, 16)))
        case 2: _ = try? host.enableExtendedScan(duplicates: .on)
        default:
            _ = try? host.status(
                TestHost.extendedCreate(.none, policy: .filterAcceptList)
            )
        }
    }

    /// Sends a random packet, which may be incorrect.
    private func transmit(
        _ world: World,
        _ sender: TestHost,
        _ target: TestHost,
        _ generator: inout RandomStream
    ) {
        guard let channel = RadioChannel(Int(36 + generator.uniform(below: 4))) else { return }
        let modulation = Modulation.allCases[Int(generator.uniform(below: 4))]
        let packet = AdvertisingPacket(
            pdu(world.now, target, &generator),
            from: sender.id.radio,
            to: generator.bernoulli(0.3) ? target.id.radio : nil,
            on: channel,
            modulation: modulation,
            start: world.now
        )
        world.core.ether.transmit(packet)
    }

    private func pdu(
        _ now: Instant,
        _ target: TestHost,
        _ generator: inout RandomStream
    ) -> AdvertisingPDU {
        let address = DeviceAddress(value: generator.uniform(below: 3), kind: .random)
        let data = [UInt8](repeating: 7, count: Int(generator.uniform(below: 32)))
        let legacy = LegacyAdvertisement(
            set: 0,
            advertiser: address,
            target: generator.bernoulli(0.2) ? target.publicAddress : nil,
            isConnectable: generator.bernoulli(0.5),
            isScannable: generator.bernoulli(0.5),
            data: data
        )
        switch generator.uniform(below: 4) {
        case 0: return .legacy(legacy)
        case 1: return .scanResponse(legacy)
        case 2:
            let link = LinkID(rawValue: generator.uniform(below: 3))
            return .connectionResponse(
                ConnectionResponse(advertiser: address, initiator: address, link: link)
            )
        default: return .extended(extended(now, address, &generator))
        }
    }

    private func extended(
        _ now: Instant,
        _ address: DeviceAddress,
        _ generator: inout RandomStream
    ) -> ExtendedAdvertisement {
        let kinds: [ExtendedAdvertisement.Kind] = [.primary, .auxiliary, .chained, .scanResponse]
        let length = Int(generator.uniform(below: 250))
        let offset = Duration.microseconds(Int64(generator.uniform(below: 4_000)) - 500)
        return ExtendedAdvertisement(
            kind: kinds[Int(generator.uniform(below: 4))],
            set: 0,
            advertiser: generator.bernoulli(0.5) ? address : nil,
            target: nil,
            isConnectable: generator.bernoulli(0.5),
            isScannable: generator.bernoulli(0.5),
            sid: 1,
            dataID: 1,
            pointer: RadioChannel(36).map {
                .init(channel: $0, modulation: .le1M, start: now + offset)
            },
            transmitPower: nil,
            data: [UInt8](repeating: 1, count: length),
            length: length + 10
        )
    }
}
