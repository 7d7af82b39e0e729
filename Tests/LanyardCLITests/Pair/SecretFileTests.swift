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

    @Test("An existing file is replaced, and only its owner may read it")
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

    @Test(
        "A path that is no regular file is refused",
        arguments: ["/dev/null", "/tmp", "/nonexistent/x"]
    )
    func refusesOthers(path: String) {
        #expect {
            try SecretFile(path, of: "keys")
        } throws: {
            ($0 as? ProgramFailure)?.status == .inputOutput
        }
    }

    @Test("A write that fails leaves no part of the new contents")
    func leavesNoDraft() throws {
        let file = try SecretFile(path, of: "keys")
        // No file can replace a directory.
        unlink(path)
        mkdir(path, 0o700)
        defer {
            rmdir(path)
            unlink(path + ".new")
        }
        #expect(throws: ProgramFailure.self) { try file.replace(with: "secret") }
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
    }

    @Test("A symbolic link is not followed")
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

    @Test("A key file is complete from the beginning, and has a key that is added twice only once")
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

    @Test("A key that cannot be written is reported, and the file keeps the earlier keys")
    func failedWrite() throws {
        defer {
            rmdir(path + ".new")
            unlink(path)
        }
        let export = try KeyExport(path)
        export.add(try key(1))
        let earlier = try #require(text)
        // A directory has the name of the file to which the new contents are written first.
        try #require(mkdir(path + ".new", 0o700) == 0)
        export.add(try key(2))
        #expect(export.failure?.status == .inputOutput)
        #expect(text == earlier)
        // The next write succeeds, and adds both keys.
        try #require(rmdir(path + ".new") == 0)
        export.add(try key(3))
        #expect(export.failure == nil)
        #expect(text?.split(separator: "\"ltk\"").count == 4)
    }

    @Test("A file is replaced in one step, so an open reader keeps the former contents")
    func atomically() throws {
        defer { unlink(path) }
        let file = try SecretFile(path, of: "keys")
        try file.replace(with: "first")
        let reader = try #require(FileHandle(forReadingAtPath: path))
        try file.replace(with: "second")
        #expect(try reader.readToEnd() == Data("first".utf8))
        #expect(text == "second")
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
    }

    private func key(_ number: UInt8) throws -> LinkKey {
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

    @Test("A key file reports keys beyond its limit")
    func tooManyKeys() throws {
        defer { unlink(path) }
        let export = try KeyExport(path, limit: 2)
        let used = try (1...3 as ClosedRange<UInt8>).map { try key($0) }
        for key in used.prefix(2) + used.prefix(1) { export.add(key) }
        #expect(export.failure == nil)
        export.add(used[2])
        #expect(export.failure?.happened == "there are more than 2 keys")
    }
}
