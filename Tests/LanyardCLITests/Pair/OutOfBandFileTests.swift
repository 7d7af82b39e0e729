// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import Foundation
import JSONText
import LanyardTestSupport
import Testing

@testable import LanyardCLI

@Suite("Out-of-band files")
struct OutOfBandFileTests {
    private static let c = [UInt8](repeating: 0xC1, count: 16)
    private static let r = [UInt8](repeating: 0x0A, count: 16)
    private static let t = [UInt8](repeating: 0x77, count: 16)

    private static func member(_ name: String, _ bytes: [UInt8]) -> String {
        "\"\(name)\": \"\(bytes.hexadecimal)\""
    }

    @Test("The formats for people and for NFC tags are parsed")
    func reads() throws {
        let secure = try Pairing.OutOfBandData(confirmation: Self.c, random: Self.r)
        let members = [Self.member("confirmation", Self.c), Self.member("random", Self.r)]
        #expect(try OutOfBandFile.parse("{\(members.joined(separator: ","))}") == secure)
        let legacy = try Pairing.OutOfBandData(temporaryKey: Self.t)
        #expect(try OutOfBandFile.parse("{\(Self.member("temporaryKey", Self.t))}") == legacy)
        let tag = "1122" + Self.c.hexadecimal + "1123" + Self.r.hexadecimal
        #expect(try OutOfBandFile.parse("{\"tag\": \"\(tag)\"}") == secure)
    }

    @Test(
        "Invalid and inconsistent data is refused",
        arguments: [
            "", "[]", "{}", "{\(member("confirmation", c))}", "{\(member("random", r))}",
            "{\(member("temporaryKey", Array(t.dropLast())))}", "{\"temporaryKey\": \"x\"}",
            "{\"temporaryKey\": 7}", "{\"tag\": \"1122\"}", "{\"tag\": \"zz\"}",
            "{\"other\": \"\"}", "{\"tag\": \"\"}", "{\"tag\": \"021c02\"}",
            "{\"tag\": \"1122\(c.hexadecimal)\"}",
        ]
    )
    func refuses(text: String) {
        #expect(throws: JSONError.self) { try OutOfBandFile.parse(text) }
    }

    @Test(
        "A file is written for its owner alone and can be read again",
        arguments: RunSeed.seeds(1)
    )
    func roundTrip(seed: UInt64) throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).json"
        defer { unlink(path) }
        var generator = SplitMix64(seed: seed)
        let local = try #require(
            Pairing.LocalOutOfBandData.make(forLegacyPairing: true, using: &generator)
        )
        try OutOfBandFile.write(local.data, to: path)
        #expect(try OutOfBandFile.read(path) == local.data)
        #expect(try permissions(path) == 0o600)
    }

    @Test("Files that are missing or cannot be made are reported")
    func missing() throws {
        let data = try Pairing.OutOfBandData(temporaryKey: Self.t)
        #expect(throws: ProgramFailure.self) { try OutOfBandFile.read("/nonexistent/oob") }
        #expect(throws: ProgramFailure.self) {
            try OutOfBandFile.write(data, to: "/nonexistent/oob")
        }
    }
}

func permissions(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
}
