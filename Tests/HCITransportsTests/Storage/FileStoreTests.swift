// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreTestSupport
import Testing

@testable import HCITransports

@Suite("Stores of files")
struct FileStoreTests {
    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = NSTemporaryDirectory() + "lanyard-store-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }

    private func key(_ text: String) throws -> StoreKey { try #require(StoreKey(text)) }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func names(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    @Test("Files and directories are readable by their owner only")
    func permissions() throws {
        try inDirectory { directory in
            let store = try FileStore(directory: directory)
            try store.save([1], as: try key("one"))
            try store.save([1], as: try key("two"))
            try store.setAside(try key("two"), because: "of a test")
            #expect(try permissions(directory) == 0o700)
            #expect(try permissions(directory + "/one") == 0o600)
            #expect(try permissions(directory + "/.lock") == 0o600)
            #expect(try permissions(directory + "/set_aside") == 0o700)
            #expect(try permissions(directory + "/set_aside/two.1") == 0o600)
            #expect(try permissions(directory + "/set_aside/reasons") == 0o600)
        }
    }

    @Test(
        "A file that others may read or write is refused",
        arguments: [0o640, 0o604, 0o620, 0o666]
    )
    func openFiles(_ mode: Int) throws {
        try inDirectory { directory in
            let store = try FileStore(directory: directory)
            try store.save([1], as: try key("one"))
            let path = directory + "/one"
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let error = #expect(throws: TransportError.self) { try store.load(try key("one")) }
            #expect(error?.description.contains("chmod 600") == true)
            try store.save([2], as: try key("one"))
            #expect(try store.load(try key("one")) == [2])
        }
    }

    @Test("A directory in which others may write is refused", arguments: [0o770, 0o777, 0o702])
    func openDirectories(_ mode: Int) throws {
        try inDirectory { directory in
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: mode]
            )
            try FileManager.default
                .setAttributes([.posixPermissions: mode], ofItemAtPath: directory)
            let error = #expect(throws: TransportError.self) {
                _ = try FileStore(directory: directory)
            }
            #expect(error?.description.contains("chmod 700") == true)
        }
    }

    @Test("An entry that is not a file is not read, and never blocks")
    func notFiles() throws {
        try inDirectory { directory in
            let store = try FileStore(directory: directory)
            #expect(mkfifo(directory + "/pipe", 0o600) == 0)
            #expect(mkdir(directory + "/folder", 0o700) == 0)
            #expect(symlink("/etc/hostname", directory + "/link") == 0)
            for name in ["pipe", "folder", "link"] {
                #expect(throws: TransportError.self) { try store.load(try key(name)) }
            }
            try store.setAside(try key("link"), because: "it is a link")
            #expect(try names(directory + "/set_aside") == ["link.1", "reasons"])
        }
    }

    @Test("A second store in the same directory is refused until the first is closed")
    func lock() throws {
        try inDirectory { directory in
            do {
                let store = try FileStore(directory: directory)
                #expect(throws: TransportError.addressInUse(directory)) {
                    _ = try FileStore(directory: directory)
                }
                try store.save([1], as: try key("one"))
            }
            let store = try openLeftStore(directory)
            #expect(try store.load(try key("one")) == [1])
        }
    }

    @Test("A closed store frees its directory, and its next use locks the directory again if free")
    func closed() throws {
        try inDirectory { directory in
            let first = try FileStore(directory: directory)
            try first.save([1], as: try key("one"))
            first.close()
            let second = try FileStore(directory: directory)
            #expect(throws: TransportError.addressInUse(directory)) {
                try first.save([2], as: try key("one"))
            }
            #expect(try second.load(try key("one")) == [1])
            second.close()
            second.close()
            try first.save([2], as: try key("one"))
            #expect(throws: TransportError.addressInUse(directory)) {
                _ = try second.keys()
            }
        }
    }

    @Test("Only leftovers of a crash are removed")
    func temporaries() throws {
        try inDirectory { directory in
            _ = mkdir(directory, 0o700)
            for name in [".one.new", "one", ".profile", "two.new"] {
                try Data([1]).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
            }
            let store = try FileStore(directory: directory)
            #expect(try names(directory) == [".lock", ".profile", "one", "two.new"])
            #expect(try store.keys().map(\.description).sorted() == ["one", "two.new"])
        }
    }

    @Test("The keys are those of the current entries")
    func keys() throws {
        try inDirectory { directory in
            let store = try FileStore(directory: directory)
            #expect(try store.keys() == [])
            for name in ["a", "b-1", "c.d"] { try store.save([1], as: try key(name)) }
            for name in ["README", "not a key", "ü"] {
                try Data([1]).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
            }
            try store.remove(try key("a"))
            try store.setAside(try key("b-1"), because: "of a test")
            #expect(try store.keys().map(\.description) == ["c.d"])
        }
    }

    @Test("A directory with too many files is refused")
    func tooManyFiles() throws {
        try inDirectory { directory in
            let store = try FileStore(directory: directory)
            for number in 0..<FileStore.fileLimit {
                let number = open("\(directory)/f\(number)", O_CREAT | O_WRONLY, 0o600)
                #expect(number >= 0)
                close(number)
            }
            let error = #expect(throws: TransportError.self) { try store.keys() }
            #expect(error?.description.contains("16384") == true)
        }
    }

    @Test("Entries that are set aside are numbered, explained, and limited")
    func settingAside() throws {
        try inDirectory { directory in
            let store = try FileStore(directory: directory)
            let name = try key("bond")
            for number in 1...FileStore.setAsideLimit {
                try store.save([UInt8(truncatingIfNeeded: number)], as: name)
                try store.setAside(name, because: "reason \(number)")
                #expect(try store.load(name) == nil)
            }
            try store.save([7], as: name)
            #expect(throws: TransportError.self) { try store.setAside(name, because: "one more") }
            #expect(try store.load(name) == [7], "the entry stays in its place")
            let reasons = try String(
                contentsOfFile: directory + "/set_aside/reasons",
                encoding: .utf8
            )
            #expect(reasons.hasPrefix("bond.1: reason 1\nbond.2: reason 2\n"))
            let kept = FileManager.default.contents(atPath: directory + "/set_aside/bond.2")
            #expect(kept == Data([2]))
        }
    }

    @Test("A write that fails is reported, and the stored values stay")
    func unwritable() throws {
        try inDirectory { directory in
            let store = try FileStore(directory: directory)
            let name = try key("one")
            try store.save([1], as: name)
            // A directory has taken the place of the file that is written first.
            try FileManager.default.createDirectory(
                atPath: directory + "/.one.new",
                withIntermediateDirectories: false
            )
            #expect(throws: TransportError.self) { try store.save([2], as: name) }
            #expect(try store.load(name) == [1])
            try FileManager.default.removeItem(atPath: directory)
            #expect(throws: TransportError.self) { try store.save([2], as: name) }
            #expect(try store.load(name) == nil)
        }
    }
}

@Suite("Store locations")
struct StoreLocationTests {
    @Test(
        "Each adapter has a directory of its own with a safe name",
        arguments: [
            ("tcp:localhost:9000", "tcp+localhost+9000"), ("unix:/tmp/hci", "unix+_2ftmp_2fhci"),
            ("a b", "a_20b"), ("..", "_2e."), ("", "_"), ("a_b", "a_5fb"), ("a+b", "a_2bb"),
            ("ü", "_c3_bc"), ("a\0", "a_00"),
        ]
    )
    func names(_ adapter: String, _ name: String) {
        let state = ["XDG_STATE_HOME": "/state", "HOME": "/home/me"]
        let directory = FileStore.defaultDirectory(for: adapter, environment: state)
        #expect(directory == "/state/lanyard/\(name)")
    }

    @Test("The store falls back from the state directory to the home directory")
    func fallback() {
        let home = "/home/me/.local/state/lanyard/x"
        for environment in [
            ["HOME": "/home/me"], ["HOME": "/home/me", "XDG_STATE_HOME": ""],
            ["HOME": "/home/me", "XDG_STATE_HOME": "relative"],
        ] {
            #expect(FileStore.defaultDirectory(for: "x", environment: environment) == home)
        }
        #expect(FileStore.defaultDirectory(for: "x", environment: [:]) == nil)
        #expect(FileStore.defaultDirectory(for: "x", environment: ["HOME": "me"]) == nil)
    }

    @Test("Names that are too long stay different")
    func longNames() throws {
        let names = ["a", "b"].compactMap { last in
            FileStore.defaultDirectory(
                for: String(repeating: "/", count: 300) + last,
                environment: ["HOME": "/h"]
            )
        }
        #expect(Set(names).count == 2)
        for name in names {
            #expect(name.split(separator: "/").last.map { $0.utf8.count <= 255 } == true)
        }
    }

    @Test("Parent directories are made if requested")
    func parents() throws {
        let top = NSTemporaryDirectory() + "lanyard-store-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: top) }
        let directory = top + "/state/lanyard/x"
        #expect(throws: TransportError.self) { _ = try FileStore(directory: directory) }
        _ = try FileStore(directory: directory, makingParents: true)
        for path in [top, top + "/state", directory] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
        #expect(throws: TransportError.self) {
            _ = try FileStore(directory: "/dev/null/x/y", makingParents: true)
        }
    }
}
