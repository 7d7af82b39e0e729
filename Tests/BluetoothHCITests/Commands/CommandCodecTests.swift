// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHCI

@Suite("HCI commands") struct CommandCodecTests {
    @Test(
        "Commands encode to the bytes that other implementations read",
        arguments: CommandSample.all
    )
    func encode(sample: CommandSample) {
        #expect(HCI.EncodedCommand(sample.command).h4Packet.hexadecimal == sample.h4)
    }

    @Test("Commands decode to the value that was encoded", arguments: CommandSample.all)
    func decode(sample: CommandSample) throws {
        func check<Command: HCICommand>(_ command: Command) throws {
            #expect(try Command(parsing: command.encodedParameters[...]) == command)
        }
        try check(sample.command)
    }

    @Test("Commands refuse every truncation and any additional byte", arguments: CommandSample.all)
    func refuseWrongLengths(sample: CommandSample) {
        let type = type(of: sample.command)
        let parameters = sample.command.encodedParameters
        for length in parameters.indices {
            #expect(throws: MalformedBytes.self) { try type.init(parsing: parameters[..<length]) }
        }
        #expect(throws: MalformedBytes.trailing(count: 1)) {
            try type.init(parsing: parameters + [0])
        }
    }

    @Test("Decoding a command from random parameters never traps", arguments: RunSeed.seeds(1))
    func surviveRandomBytes(
        seed: UInt64
    ) {
        var generator = SplitMix64(seed: seed)
        for opcode in HCI.commandTypesByOpcode.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            for _ in 0..<100 {
                let bytes = generator.bytes(Int.random(in: 0...80, using: &generator))
                _ = try? HCI.command(opcode: opcode, parameters: bytes[...])
                _ = HCI.describe(.command(opcode: opcode, parameters: bytes[...]))
            }
        }
    }

    @Test("Every command has a sample, a name and an entry in the lookup by opcode")
    func completeness() throws {
        let sampled = Set(CommandSample.all.map { type(of: $0.command).opcode })
        #expect(sampled == Set(HCI.commandTypesByOpcode.keys))
        #expect(Set(HCI.Opcode.names.keys) == Set(sampled.map(\.rawValue)).union([0]))
        let reset = try HCI.command(opcode: .reset, parameters: [])
        #expect(reset is HCI.Reset)
        let vendor = try HCI.command(opcode: HCI.Opcode(rawValue: 0xFC01), parameters: [1])
        #expect(vendor == nil)
    }

    @Test(
        "A command states whether Command Status or Command Complete ends it",
        arguments: CommandSample.all
    )
    func kinds(sample: CommandSample) {
        let command = HCI.EncodedCommand(sample.command)
        #expect(command.isCompletedByStatus == (sample.command is any CommandStatusCommand))
        #expect(command.opcode == type(of: sample.command).opcode)
    }

    @Test("Commands with parameters per PHY refuse unknown PHYs") func unknownPHYs() {
        #expect(throws: MalformedBytes.invalid(field: "PHYs")) {
            try HCI.LESetExtendedScanParameters(parsing: [1, 0, 0x08, 1, 0, 0, 0, 0])
        }
    }

    @Test("Commands with legacy advertising data refuse a length beyond the field")
    func legacyDataLength() {
        let field = [UInt8](repeating: 0, count: 31)
        #expect(throws: MalformedBytes.invalid(field: "data length")) {
            try HCI.LESetAdvertisingData(parsing: [32] + field)
        }
        #expect(HCI.LegacyAdvertisingData(field + [0]) == nil)
    }

    @Test("A flag refuses values other than 0 and 1") func reservedFlag() {
        #expect(throws: MalformedBytes.invalid(field: "flag")) {
            try HCI.LESetAdvertisingEnable(parsing: [2])
        }
    }
}
