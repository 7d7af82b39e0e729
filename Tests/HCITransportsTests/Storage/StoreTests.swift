// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Testing

@Suite("Stores")
struct StoreTests {
    /// Gives `body` a store in a temporary directory, and the directory.
    private func inDirectory(_ body: (FileStore, String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("lanyard-store-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(try FileStore(directory: directory), directory)
    }

    private func key(_ text: String) throws -> StoreKey { try #require(StoreKey(text)) }

    @Test(
        "A key has the allowed characters only, and no period at its start",
        arguments: [
            ("client-random-c0ffee000001", true), ("a", true), ("0.json", true), ("", false),
            (".hidden", false), ("..", false), ("a/b", false), ("A", false), ("ä", false),
            ("a b", false), ("a\0", false),
        ]
    )
    func keys(_ text: String, _ isKey: Bool) {
        #expect((StoreKey(text) != nil) == isKey)
    }

    @Test("A key has a maximum length")
    func keyLength() {
        #expect(StoreKey(String(repeating: "a", count: StoreKey.lengthLimit)) != nil)
        #expect(StoreKey(String(repeating: "a", count: StoreKey.lengthLimit + 1)) == nil)
    }

    @Test("The last saved value is loaded until it is removed")
    func lastValue() throws {
        try inDirectory { files, _ in
            let stores: [any HostStore] = [MemoryStore(), files]
            for store in stores {
                let (one, two) = (try key("one"), try key("two"))
                #expect(try store.load(one) == nil)
                try store.save([1, 2, 3], as: one)
                try store.save([9], as: one)
                try store.save([], as: two)
                #expect(try store.load(one) == [9])
                #expect(try store.load(two) == [])
                try store.remove(one)
                try store.remove(one)
                #expect(try store.load(one) == nil)
                #expect(try store.load(two) == [])
            }
        }
    }

    @Test("Files hold the last value, are readable by their owner only, and have no leftovers")
    func files() throws {
        try inDirectory { store, directory in
            let value = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
            try store.save(value, as: try key("big"))
            #expect(try store.load(try key("big")) == value)
            try store.save([1], as: try key("big"))
            #expect(try store.load(try key("big")) == [1])
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(names.sorted() == [".lock", "big"])
            let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/big")
            #expect((attributes[.posixPermissions] as? Int) == 0o600)
        }
    }

    @Test("A value that is too long is refused, and the old one stays")
    func tooLong() throws {
        try inDirectory { store, directory in
            let name = try key("long")
            try store.save([7], as: name)
            let long = [UInt8](repeating: 0, count: FileStore.valueLimit + 1)
            #expect(throws: TransportError.self) { try store.save(long, as: name) }
            #expect(try store.load(name) == [7])
            try store.save([7], as: name)
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory + "/long"))
            try file.write(contentsOf: Data(long))
            try file.close()
            #expect(throws: TransportError.self) { try store.load(name) }
        }
    }

    @Test("A directory that cannot be made is reported, and so is a link in place of a file")
    func obstacles() throws {
        let error = #expect(throws: TransportError.self) {
            try FileStore(directory: "/no/such/place")
        }
        #expect(error?.description.hasSuffix(": no such file or directory (error 2)") == true)
        try inDirectory { store, directory in
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/link",
                withDestinationPath: "/etc/hostname"
            )
            #expect(throws: TransportError.self) { try store.load(try key("link")) }
            try store.save([1], as: try key("link"))
            #expect(try store.load(try key("link")) == [1], "the link is replaced, not followed")
        }
    }
}
