// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Testing
import VirtualAdapters

@testable import LanyardCLI

@Suite("Where bonds are kept")
struct StoreChoiceTests {
    private static let home = ["XDG_STATE_HOME": "/state"]

    private func choice(_ adapter: String, _ arguments: String...) throws -> StoreChoice {
        try StoreOptions.parse(arguments)
            .choice(for: AdapterChoice(adapter), environment: Self.home)
    }

    @Test("is a directory of each adapter's own, without being told")
    func usual() throws {
        let (one, other) = (try choice("tcp:127.0.0.1:6402"), try choice("tcp:127.0.0.1:6403"))
        #expect(one.path?.hasPrefix("/state/lanyard/") == true && one != other)
        #expect(try choice("tcp:127.0.0.1:6402") == one)
    }

    @Test("is nowhere with a virtual adapter, whose accessories forget, or without a home")
    func nowhere() throws {
        #expect(try choice("virtual") == .none)
        let options = try StoreOptions.parse([])
        let adapter = try AdapterChoice("tcp:127.0.0.1:6402")
        #expect(try options.choice(for: adapter, environment: [:]) == .none)
    }

    @Test("is where a person says, or nowhere")
    func chosen() throws {
        #expect(try choice("virtual", "--store", "/bonds") == .directory("/bonds"))
        #expect(try choice("tcp:127.0.0.1:6402", "--no-store") == .none)
        #expect(throws: ProgramFailure.self) { try choice("virtual", "--store", "") }
        #expect(throws: ProgramFailure.self) {
            try choice("virtual", "--store", "/bonds", "--no-store")
        }
    }

    @Test("is given up by who comes second, unless it was asked for")
    func second() throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let remarks = ScriptedAccessory.Recorder()
        let first = try StoreChoice.usual(path).open(remarks.note)
        #expect(remarks.lines.isEmpty)
        #expect(try StoreChoice.usual(path).open(remarks.note) is MemoryStore)
        #expect(remarks.lines.count == 1)
        #expect(throws: ProgramFailure.self) { try StoreChoice.directory(path).open(remarks.note) }
        withExtendedLifetime(first) {}
    }

    @Test("is not made by looking")
    func looking() throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        #expect(try StoreChoice.directory(path).openExisting() == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
