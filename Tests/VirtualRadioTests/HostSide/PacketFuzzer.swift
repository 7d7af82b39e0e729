// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport

@testable import VirtualRadio

/// A generator of a host's random packets: whole and incomplete, valid and invalid.
struct PacketFuzzer {
    var generator: SplitMix64

    private static let offered = CommandTable.handlers.keys.sorted { $0.rawValue < $1.rawValue }

    /// For each of the `offered` commands, the smallest number of zeros that are valid parameters.
    private static let lengths: [Int] = offered.map { opcode in
        (0...255).first { length in
            let zeros = [UInt8](repeating: 0, count: length)
            return (try? HCI.command(opcode: opcode, parameters: zeros[...])) != nil
        } ?? 0
    }

    /// Valid commands. Their mutants are almost valid.
    private static let sensible: [[UInt8]] = [
        .init(HCI.LESetAdvertisingEnable(isEnabled: true)),
        .init(HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: true)),
        .init(HCI.LESetRandomAddress(address: HCI.BareAddress(value: 0xC000_0000_0001))),
        .init(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max))),
        .init(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: .max))),
        .init(HCI.HostBufferSize(aclPacketLength: 27, aclPacketCount: 1)),
        .init(HCI.SetControllerToHostFlowControl(mode: .acl)),
        .init(HCI.LESetDefaultPHY(preference: .init(transmit: [.le2M], receive: [.le2M]))),
        .init(HCI.Disconnect(connectionHandle: ConnectionHandle(rawValue: 1))),
        .init(HCI.LEReadRemoteFeatures(connectionHandle: ConnectionHandle(rawValue: 1))),
        .init(HCI.ReadRemoteVersionInformation(connectionHandle: ConnectionHandle(rawValue: 1))),
        .init(
            HCI.LESetDataLength(
                connectionHandle: ConnectionHandle(rawValue: 1),
                transmitBytes: 251,
                transmitTime: HCI.AirTime(rawValue: 2120)
            )
        ),
        .init(HCI.LERand()), .init(HCI.LEReadBufferSize()), .init(HCI.LEClearAdvertisingSets()),
    ].map(\HCI.EncodedCommand.h4Packet)

    /// Returns the next packet, which may be damaged.
    mutating func next() -> [UInt8] {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<2: HCI.EncodedCommand(HCI.Reset()).h4Packet
        case 2..<35: command { $0.generator.bytes($1) }
        case 35..<60: command { $0.small($1) }
        case 60..<80: mutant()
        case 80..<92: data()
        case 92..<95: unknown()
        case 95..<98: [UInt8.random(in: 3...5, using: &generator), 1, 0, 2, 0, 7, 7]
        default: generator.bytes(Int.random(in: 0...40, using: &generator))
        }
    }

    private mutating func command(_ make: (inout PacketFuzzer, Int) -> [UInt8]) -> [UInt8] {
        let index = Int.random(in: Self.offered.indices, using: &generator)
        var length = Self.lengths[index]
        if chance(10) { length = Int.random(in: 0...255, using: &generator) }
        var parameters = make(&self, length)
        if chance(3), length > 1 { parameters.replaceSubrange(0..<2, with: [1, 0]) }
        return HCI.Packet.command(opcode: Self.offered[index], parameters: parameters[...]).h4Bytes
    }

    /// Returns bytes with typical values of valid commands.
    private mutating func small(_ count: Int) -> [UInt8] {
        let bytes: [UInt8] = [0, 0, 0, 1, 1, 2, 3, 6, 7, 0x10, 0x20, 0xA0, 0xFF]
        return (0..<count).map { _ in
            bytes[Int.random(in: bytes.indices, using: &generator)]
        }
    }

    private mutating func mutant() -> [UInt8] {
        var packet = Self.sensible[Int.random(in: Self.sensible.indices, using: &generator)]
        // In most cases, the framing stays intact. After lost framing, only a Reset is read.
        let spared = chance(20) ? 0 : 4
        for _ in 0..<Int.random(in: 0...3, using: &generator) where packet.count > spared {
            let index = Int.random(in: spared..<packet.count, using: &generator)
            packet[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
        return packet
    }

    private mutating func data() -> [UInt8] {
        let length = Int.random(in: 0...(chance(20) ? 4_000 : 300), using: &generator)
        let packet = HCI.ACLPacket(
            connectionHandle: ConnectionHandle(rawValue: .random(in: 0...3, using: &generator)),
            boundary: HCI.PacketBoundary(rawValue: .random(in: 0...3, using: &generator))
                ?? .complete,
            broadcast: chance(10) ? 1 : 0,
            payload: generator.bytes(length)[...]
        )
        return packet.h4Bytes
    }

    private mutating func unknown() -> [UInt8] {
        let opcode = HCI.Opcode(rawValue: .random(in: 0...0xFFFF, using: &generator))
        let parameters = generator.bytes(Int.random(in: 0...255, using: &generator))
        return HCI.Packet.command(opcode: opcode, parameters: parameters[...]).h4Bytes
    }

    /// Returns `true` once in `times` calls, on average.
    mutating func chance(_ times: Int) -> Bool {
        Int.random(in: 0..<times, using: &generator) == 0
    }
}
