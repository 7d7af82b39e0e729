// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothSMP
import Foundation
import Testing

@testable import LanyardCLI

@Suite("Files of secrets")
struct SecretFileTests {
    private let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).keys"

    private var text: String? { try? String(contentsOfFile: path, encoding: .utf8) }

    @Test("take the place of a file that is there, and close it to others")
    func replaces() throws {
        defer { unlink(path) }
        try Data("a longer text than the next".utf8).write(to: URL(fileURLWithPath: path))
        chmod(path, 0o644)
        let file = try SecretFile(path, of: "keys")
        try file.replace(with: "first text\n")
        try file.replace(with: "second\n")
        #expect(text == "second\n")
        #expect(try permissions(path) == 0o600)
    }

    @Test("are not written to what is no file", arguments: ["/dev/null", "/tmp", "/nonexistent/x"])
    func refusesOthers(path: String) {
        #expect {
            try SecretFile(path, of: "keys")
        } throws: {
            ($0 as? ProgramFailure)?.status == .inputOutput
        }
    }

    @Test("do not follow a link, which somebody else may have laid")
    func refusesLinks() throws {
        let link = path + ".link"
        defer {
            unlink(link)
            unlink(path)
        }
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(throws: ProgramFailure.self) { try SecretFile(link, of: "keys") }
        #expect(text == "precious")
    }

    @Test("of keys hold each key once, as sniffers want it, and are whole after each")
    func keys() throws {
        defer { unlink(path) }
        let export = try KeyExport(path)
        #expect(text == "[]\n")
        let key = LongTermKey(
            try #require(HCI.Key128(Array(0..<16))),
            diversifier: 0x1234,
            random: 0xFEDC_BA98_7654_3210
        )
        let used = LinkKey(
            central: DeviceAddress(value: 0xC4F0_0000_0001, kind: .random),
            peripheral: DeviceAddress(value: 0x0000_0000_0002, kind: .public),
            key: key
        )
        for _ in 0..<2 { export.add(used) }
        let expected =
            #"[{"central":"C4:F0:00:00:00:01/random","peripheral":"00:00:00:00:00:02/public","#
            + #""ltk":"0f0e0d0c0b0a09080706050403020100","ediv":4660,"rand":"fedcba9876543210"}]"#
        let compact = text?.split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
        #expect(compact?.replacing(": ", with: ":") == expected)
        #expect(export.failure == nil)
    }

    @Test("of keys say when there are more than they hold")
    func tooManyKeys() throws {
        defer { unlink(path) }
        let export = try KeyExport(path, limit: 2)
        let used = try (1...3 as ClosedRange<UInt8>).map { number in
            LinkKey(
                central: DeviceAddress(value: 0xC4F0_0000_0001, kind: .random),
                peripheral: DeviceAddress(value: 0x0000_0000_0002, kind: .public),
                key: LongTermKey(
                    try #require(HCI.Key128([UInt8](repeating: number, count: 16))),
                    diversifier: 0,
                    random: 0
                )
            )
        }
        for key in used.prefix(2) + used.prefix(1) { export.add(key) }
        #expect(export.failure == nil)
        export.add(used[2])
        #expect(export.failure?.happened == "there are more than 2 of them")
    }
}
