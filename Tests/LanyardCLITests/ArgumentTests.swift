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
        "Text that does not look like an address is a name",
        arguments: [
            "Lanyard Demo", "C4F000000001", "a/b", "12:34", "name", "世界", " ", "Kitchen: lamp",
        ]
    )
    func readsNames(text: String) throws {
        #expect(try Target(text) == .name(text))
    }

    @Test("With a prefix, text that looks like an address is a name")
    func readsPrefixedNames() throws {
        #expect(try Target("name:C4:F0:00:00:00:01") == .name("C4:F0:00:00:00:01"))
    }

    @Test(
        "An invalid address and an empty name are refused",
        arguments: [
            "C4:F0:00:00:00:0", "C4:F0:00:00:00:0G", "::::: ", "C4:F0:00:00:00:01/",
            "C4:F0:00:00:00:01/static", "C4:F0:00:00:00:01/random/public", "", "name:",
        ]
    )
    func refusesInvalidInput(text: String) {
        #expect {
            try Target(text)
        } throws: {
            ($0 as? ProgramFailure)?.status == .usage
        }
    }

    @Test("A target is described as on the command line, with control characters escaped")
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
        #expect(try CharacteristicReference("0x2A19").identity == level)
        for text in ["180f/2a19", "0x180F/0x2A19", "Battery/Battery Level", "battery/2A19"] {
            let both = try CharacteristicReference(text)
            #expect(both.identity == level && both.service == BluetoothUUID(0x180F))
        }
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
            "180F/2A19/1", "nothing/2A19", "0x", "0x2A1", "\u{1B}[2J",
        ]
    )
    func refusesInvalidInput(text: String) {
        #expect {
            try CharacteristicReference(text)
        } throws: {
            ($0 as? ProgramFailure)?.status == .usage
        }
    }
}

extension CharacteristicReferenceTests {
    @Test("An unknown name is an error with the nearest name")
    func suggests() {
        let failure = #expect(throws: ProgramFailure.self) {
            try CharacteristicReference("batery-level")
        }
        #expect(failure?.advice == "did you mean 'Battery Level'?")
    }
}

@Suite("Services on the command line") struct ServiceArgumentTests {
    @Test(
        "A service is a UUID or a name",
        arguments: ["180D", "0x180d", "Heart Rate", "heart-rate", "heartrate"]
    )
    func reads(text: String) throws {
        #expect(try BluetoothUUID(service: text) == BluetoothUUID(0x180D))
    }

    @Test("An unknown service is an error with the nearest name, if one is similar")
    func suggests() {
        let failure = #expect(throws: ProgramFailure.self) {
            try BluetoothUUID(service: "hart rate")
        }
        #expect(failure?.advice == "did you mean 'Heart Rate'?")
        let other = #expect(throws: ProgramFailure.self) { try BluetoothUUID(service: "xyz") }
        #expect(other?.advice == #"use a UUID (180D) or a name ("Heart Rate")"#)
    }
}

@Suite("Values on the command line") struct ValueArgumentTests {
    @Test(
        "Bytes, texts and numbers are parsed",
        arguments: [
            ("01ff", [1, 255]), ("0x01 FF", [1, 255]), ("hex:01:ff", [1, 255]), ("", []),
            ("01:ff", [1, 255]), ("text:Hé", [0x48, 0xC3, 0xA9]), ("TEXT:", []),
            ("text:a:b", [0x61, 0x3A, 0x62]), ("uint8:7", [7]), ("uint8:0x1F", [31]),
            ("uint16:300", [0x2C, 0x01]), ("sint16:-2", [0xFE, 0xFF]),
            ("uint24:1e3", [0xE8, 3, 0]),
            ("float32:1.5", [0, 0, 0xC0, 0x3F]), ("medfloat16:36.6", [0x6E, 0xF1]),
            ("medfloat16:20000", [0xD0, 0x17]), ("medfloat16:36.60", [0x6E, 0xF1]),
            ("medfloat16:1e-3", [0x01, 0xD0]), ("medfloat16:-0.5", [0xFB, 0xFF]),
            ("medfloat16:2.045e10", [0xFD, 0x77]), ("medfloat16:0", [0, 0]),
            ("medfloat16:0x1E5", [0xE5, 0x01]), ("medfloat32:0xE5", [0xE5, 0, 0, 0]),
            ("medfloat16:0x2E1", [0xE1, 0x02]), ("medfloat16:1e8", [0x0A, 0x70]),
            ("medfloat32:12345600", [0x80, 0xD6, 0x12, 0x01]),
            (#""a b""#, [0x61, 0x20, 0x62]), (#"{"uint16": 300}"#, [0x2C, 0x01]),
            (#"["01", "uint8:2", {"text": "x"}]"#, [1, 2, 0x78]),
            (#"{"sint16": 21.57, "exponent": -2}"#, [0x6D, 0x08]),
        ] as [(String, [UInt8])]
    )
    func reads(text: String, bytes: [UInt8]) throws {
        #expect(try ValueArgument(text).bytes == bytes)
    }

    @Test(
        "An invalid value is an error with advice",
        arguments: [
            ("on", "use two hexadecimal digits per byte"), ("1", "use two hexadecimal digits"),
            ("uint8:300", "it holds whole numbers from 0 to 255"), ("uint8:-1", "from 0 to 255"),
            ("uint8:1.5", "whole numbers"), ("uint8:x", "write uint8:12"), ("uint8:", "uint8:12"),
            ("uint8:nan", "write uint8:12"), ("uint8:0x-1", "write uint8:12"),
            ("sint8:128", "from -128 to 127"), ("medfloat16:99999", "from -2045 to 2045"),
            ("medfloat16:2046", "times ten to a power from -8 to 7"),
            ("medfloat16:2046e7", "times ten to a power from -8 to 7"),
            ("medfloat16:2.0455", "whole numbers from -2045 to 2045, times ten to a power"),
            ("medfloat16:0e-400", "times ten"), ("medfloat16:1e-9", "times ten"),
            ("medfloat16:1e-9223372036854775808", "times ten"),
            ("medfloat16:1e-99999999999999999999", "times ten"),
            ("uint12:3", "text:hello"), ("\u{1B}[2J", "use two"), (#"{"uint8": 300}"#, "use two"),
            ("text:" + String(repeating: "x", count: 513), "at most 512"),
            (String(repeating: "00", count: 513), "at most 512"),
        ]
    )
    func refuses(text: String, advice: String) throws {
        let failure = try #require(throws: ProgramFailure.self) { try ValueArgument(text) }
        #expect(failure.status == .usage && failure.advice.contains(advice), "\(failure.line)")
        #expect(!failure.line.contains("\u{1B}"))
    }
}

@Suite("Suggestions") struct SuggestionTests {
    @Test(
        "The nearest word is suggested if it is similar",
        arguments: [
            ("scann", "scan"), ("SCAN", "scan"), ("sacn", "scan"), ("sub", "subscribe"),
            ("exlpore", "explore"), ("foo", nil), ("s", nil), ("", nil), ("xyz", nil),
        ] as [(String, String?)]
    )
    func suggests(text: String, word: String?) {
        let words = ["demo", "scan", "explore", "serve", "subscribe"]
        #expect(Suggestion.nearest(to: text, among: words) == word)
    }

    @Test("The beginning of a word suggests a name if no other name has a word that begins so")
    func parts() {
        let names = ["Battery Lamp", "Front Door", "Message Box", "Message Board"]
        #expect(Suggestion.nearest(to: "lamp", among: names) == "Battery Lamp")
        #expect(Suggestion.nearest(to: "doo", among: names) == "Front Door")
        #expect(Suggestion.nearest(to: "amp", among: names) == nil)
        #expect(Suggestion.nearest(to: "bo", among: names) == nil)
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
    func refusesInvalidInput(text: String) {
        #expect(throws: ProgramFailure.self) { try HexArgument(text) }
    }

    @Test("A value of more than 512 bytes is refused")
    func refusesLongValues() throws {
        #expect(try HexArgument(String(repeating: "00", count: 512)).bytes.count == 512)
        #expect(throws: ProgramFailure.self) {
            try HexArgument(String(repeating: "00", count: 513))
        }
    }
}
