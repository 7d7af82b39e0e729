// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite("Targets on the command line") struct TargetTests {
    @Test(
        "Addresses are parsed with and without their kind",
        arguments: [
            ("C4:F0:00:00:00:01", nil), ("c4:f0:00:00:00:01", nil),
            ("C4:F0:00:00:00:01/random", .random), ("C4:F0:00:00:00:01/RANDOM", .random),
            ("C4:F0:00:00:00:01/public", .public),
        ] as [(String, DeviceAddress.Kind?)]
    )
    func readsAddresses(text: String, kind: DeviceAddress.Kind?) throws {
        #expect(try Target(text) == .address(value: 0xC4F0_0000_0001, kind: kind))
    }

    @Test(
        "All other text is a name",
        arguments: [
            "Lanyard Demo", "C4F000000001", "a/b", "12:34", "name", "世界", " ", "Kitchen: lamp",
        ]
    )
    func readsNames(text: String) throws {
        #expect(try Target(text) == .name(text))
    }

    @Test("A prefix makes a name of text that looks like an address")
    func readsPrefixedNames() throws {
        #expect(try Target("name:C4:F0:00:00:00:01") == .name("C4:F0:00:00:00:01"))
    }

    @Test(
        "Text with the form of an address that is not valid is refused",
        arguments: [
            "C4:F0:00:00:00:0", "C4:F0:00:00:00:0G", "::::: ", "C4:F0:00:00:00:01/",
            "C4:F0:00:00:00:01/static", "C4:F0:00:00:00:01/random/public", "", "name:",
        ]
    )
    func refusesNonsense(text: String) {
        #expect {
            try Target(text)
        } throws: {
            ($0 as? ProgramFailure)?.status == .usage
        }
    }

    @Test("A target describes itself in the form of the command line, escaped")
    func describes() throws {
        #expect(try Target("c4:f0:00:00:00:01").description == "C4:F0:00:00:00:01")
        #expect(try Target("c4:f0:00:00:00:01/random").description == "C4:F0:00:00:00:01/random")
        #expect(try Target("a\u{1B}").description == "'a\\u{1B}'")
    }
}

@Suite("Characteristics on the command line") struct CharacteristicReferenceTests {
    @Test("UUIDs, names, services and handles are parsed")
    func readsReferences() throws {
        let level = CharacteristicReference.Identity.uuid(BluetoothUUID(0x2A19))
        #expect(try CharacteristicReference("2A19").identity == level)
        #expect(try CharacteristicReference("2a19").identity == level)
        #expect(try CharacteristicReference("battery-level").identity == level)
        let both = try CharacteristicReference("180f/2a19")
        #expect(both.identity == level && both.service == BluetoothUUID(0x180F))
        #expect(try CharacteristicReference("#12").identity == .valueHandle(12))
        #expect(try CharacteristicReference("#0xFFFF").identity == .valueHandle(0xFFFF))
        let long = "4C414E59-4152-4400-A000-000000000001"
        let uuid = try #require(BluetoothUUID(long))
        #expect(try CharacteristicReference(long).identity == .uuid(uuid))
    }

    @Test(
        "Other text is refused",
        arguments: [
            "", "#", "#0", "#65536", "#-1", "#+1", "#0x", "2A1", "battery", "180F/", "/2A19",
            "180F/2A19/1", "battery/2A19", "\u{1B}[2J",
        ]
    )
    func refusesNonsense(text: String) {
        #expect {
            try CharacteristicReference(text)
        } throws: {
            ($0 as? ProgramFailure)?.status == .usage
        }
    }
}

@Suite("Bytes on the command line") struct HexArgumentTests {
    @Test(
        "Hexadecimal digits are parsed with common separators",
        arguments: [
            ("01ff", [1, 255]), ("0x01FF", [1, 255]), ("01 ff", [1, 255]), ("01:ff", [1, 255]),
            ("01-ff", [1, 255]), ("", []), ("0x", []), ("0102 0304", [1, 2, 3, 4]),
        ] as [(String, [UInt8])]
    )
    func readsBytes(text: String, bytes: [UInt8]) throws {
        #expect(try HexArgument(text).bytes == bytes)
    }

    @Test(
        "Text that is not hexadecimal is refused",
        arguments: ["1", "0g", "1 23", "0 1", "zz", "é"]
    )
    func refusesNonsense(text: String) {
        #expect(throws: ProgramFailure.self) { try HexArgument(text) }
    }

    @Test("A value longer than an attribute is refused")
    func refusesLongValues() throws {
        #expect(try HexArgument(String(repeating: "00", count: 512)).bytes.count == 512)
        #expect(throws: ProgramFailure.self) {
            try HexArgument(String(repeating: "00", count: 513))
        }
    }
}
