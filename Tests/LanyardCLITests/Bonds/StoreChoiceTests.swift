// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Testing
import VirtualAdapters

@testable import LanyardCLI

@Suite("The store of bonds")
struct StoreChoiceTests {
    private static let home = ["XDG_STATE_HOME": "/state"]

    private func choice(_ adapter: String, _ arguments: String...) throws -> StoreChoice {
        try StoreOptions.parse(arguments)
            .choice(for: AdapterChoice(adapter), environment: Self.home)
    }

    @Test("By default, each adapter has a directory of its own")
    func usual() throws {
        let (one, other) = (try choice("tcp:127.0.0.1:6402"), try choice("tcp:127.0.0.1:6403"))
        #expect(one.path?.hasPrefix("/state/lanyard/") == true && one != other)
        #expect(try choice("tcp:127.0.0.1:6402") == one)
    }

    @Test("By default, virtual adapters and processes without a home directory have no store")
    func nowhere() throws {
        #expect(try choice("virtual") == .none)
        let options = try StoreOptions.parse([])
        let adapter = try AdapterChoice("tcp:127.0.0.1:6402")
        #expect(try options.choice(for: adapter, environment: [:]) == .none)
    }

    @Test("The options choose a directory or no store")
    func chosen() throws {
        #expect(try choice("virtual", "--store", "/bonds") == .directory("/bonds"))
        #expect(try choice("tcp:127.0.0.1:6402", "--no-store") == .none)
        #expect(throws: ProgramFailure.self) { try choice("virtual", "--store", "") }
        #expect(throws: ProgramFailure.self) {
            try choice("virtual", "--store", "/bonds", "--no-store")
        }
    }

    /// The path goes through a file, as a path without permission goes through a directory that
    /// cannot be searched.
    @Test("A store that cannot be looked up is an error, not a missing store")
    func inaccessible() {
        for isRead in [true, false] {
            let choice = StoreChoice.directory("/dev/null/store")
            #expect(throws: ProgramFailure.self) { try choice.openExisting(forReading: isRead) }
        }
    }

    @Test(
        "While another process uses the store, a command runs without bonds unless it requires them"
    )
    func second() throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let remarks = ScriptedAccessory.Recorder()
        let first = try StoreChoice.usual(path).open(remarks.note)
        #expect(remarks.lines.isEmpty)
        #expect(try StoreChoice.usual(path).open(remarks.note) is MemoryStore)
        #expect(remarks.lines.count == 1)
        #expect(throws: ProgramFailure.self) { try StoreChoice.directory(path).open(remarks.note) }
        // A command that makes a bond fails, because the bond would end with the command.
        #expect(throws: ProgramFailure.self) {
            try StoreChoice.usual(path).open(isRequired: true, remarks.note)
        }
        withExtendedLifetime(first) {}
    }

    @Test(
        "A directory that cannot be made is an error with the reason",
        arguments: [
            (
                "/proc/nope",
                "create the directory /proc/nope: its file system does not permit new directories"
            ),
            (
                "/proc/nope/deeper",
                "create the directory /proc/nope: its file system does not permit new directories"
            ),
            ("/dev/null/x", "create the directory /dev/null/x: Not a directory"),
        ]
    )
    func impossible(path: String, reason: String) throws {
        let failure = try #require(throws: ProgramFailure.self) {
            try StoreChoice.directory(path).open { _ in }
        }
        #expect(failure.status == .inputOutput && failure.happened.contains(reason), "\(failure)")
        #expect(!failure.happened.contains("socket") && failure.advice.contains("--no-store"))
    }

    @Test("Looking for a store does not create it")
    func looking() throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        #expect(try StoreChoice.directory(path).openExisting(forReading: false) == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
