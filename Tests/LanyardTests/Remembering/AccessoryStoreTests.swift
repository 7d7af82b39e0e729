// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import JSONText
import LanyardTestSupport
import Synchronization
import Testing

@testable import Lanyard

/// A directory that is removed at the end of its test.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("lanyard-store-\(UUID().uuidString)")

    var file: URL { url.appendingPathComponent("deeper/accessories.json") }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Writes data to the store's file.
    func write(_ data: Data) throws {
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try data.write(to: file)
    }

    var names: [String] {
        let folder = file.deletingLastPathComponent().path
        return (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
    }
}

extension RememberedAccessory {
    /// Returns a sample accessory. Times in the store are in whole milliseconds.
    static func sample(_ number: Int, name: String? = nil, notes: [String: String] = [:]) -> Self {
        let bytes = withUnsafeBytes(of: number.bigEndian, Array.init)
        var sample = RememberedAccessory(
            identity: .manufacturer(company: 0xFFFF, identifier: Data(bytes)),
            systemIdentifier: UUID(
                uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, bytes[7])
            ),
            kind: "strap",
            name: name,
            rememberedSince: Date(timeIntervalSince1970: 1_700_000_000.25),
            notes: notes
        )
        sample.givenName = name.map { "\($0) in the hall" }
        if number.isMultiple(of: 2) {
            sample.lastReady = Date(timeIntervalSince1970: 1_700_000_001)
        }
        return sample
    }
}

@Suite("Accessory stores")
struct AccessoryStoreTests {
    private let folder = TemporaryFolder()

    private var stores: [any AccessoryStore] { [.memory, .file(folder.file)] }

    @Test("Remembered accessories are loaded in order until they are forgotten")
    func remembers() throws {
        for store in stores {
            #expect(try store.load() == RememberedAccessories())
            for number in 0..<4 {
                try store.remember(
                    .sample(number, name: "Nr. \(number) ä\u{0}\"", notes: ["a": "b"])
                )
            }
            try store.forget(RememberedAccessory.sample(1).identity)
            try store.forget(RememberedAccessory.sample(9).identity)
            try store.remember(.sample(2))
            let loaded = try store.load()
            #expect(loaded.setAside == [])
            #expect(
                loaded.accessories == [
                    .sample(0, name: "Nr. 0 ä\u{0}\"", notes: ["a": "b"]),
                    .sample(2),
                    .sample(3, name: "Nr. 3 ä\u{0}\"", notes: ["a": "b"]),
                ]
            )
        }
    }

    @Test("Two stores with the same file have the same contents")
    func sameFile() throws {
        try FileAccessoryStore(folder.file).remember(.sample(1))
        #expect(try FileAccessoryStore(folder.file).load().accessories == [.sample(1)])
    }

    @Test("Reading and forgetting create no file")
    func looking() throws {
        let store = FileAccessoryStore(folder.file)
        _ = try store.load()
        try store.forget(RememberedAccessory.sample(1).identity)
        #expect(!FileManager.default.fileExists(atPath: folder.url.path))
    }

    @Test("Only the owner can read the file, and only the lock file is left beside it")
    func modes() throws {
        let store = FileAccessoryStore(folder.file)
        for number in 0..<3 { try store.remember(.sample(number)) }
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(folder.names == ["accessories.json", "accessories.json.lock"])
    }

    @Test("A record whose identity is in lower case is replaced and forgotten")
    func lowerCase() throws {
        let store = FileAccessoryStore(folder.file)
        try store.remember(.sample(1, name: "old"))
        let identity = RememberedAccessory.sample(1).identity
        let text = try String(contentsOf: folder.file, encoding: .utf8)
            .replacingOccurrences(of: identity.description, with: identity.description.lowercased())
        try folder.write(Data(text.utf8))
        try store.remember(.sample(1, name: "new"))
        #expect(try store.load().accessories == [.sample(1, name: "new")])
        try folder.write(Data(text.utf8))
        try store.forget(identity)
        #expect(try store.load().accessories == [])
    }

    @Test("Forgetting an accessory removes all of its records from an edited file")
    func duplicates() throws {
        let store = FileAccessoryStore(folder.file)
        for number in 1...3 { try store.remember(.sample(number)) }
        let text = try String(contentsOf: folder.file, encoding: .utf8)
            .replacingOccurrences(
                of: RememberedAccessory.sample(3).identity.description,
                with: RememberedAccessory.sample(1).identity.description
            )
        try folder.write(Data(text.utf8))
        #expect(try store.load().accessories.count == 3)
        try store.forget(RememberedAccessory.sample(1).identity)
        #expect(try store.load().accessories == [.sample(2)])
    }

    @Test("Notes that are not texts are preserved")
    func foreignNotes() throws {
        let store = FileAccessoryStore(folder.file)
        try store.remember(.sample(1, notes: ["room": "cellar"]))
        let text = try String(contentsOf: folder.file, encoding: .utf8)
            .replacingOccurrences(of: "\"room\"", with: "\"floor\": -1, \"room\"")
        try folder.write(Data(text.utf8))
        #expect(try store.load().accessories == [.sample(1, notes: ["room": "cellar"])])
        for notes in [["room": "attic"], [:]] {
            try store.remember(.sample(1, notes: notes))
            #expect(try store.load().accessories == [.sample(1, notes: notes)])
            let fields = try JSON(parsing: Data(contentsOf: folder.file)).members
            let record = fields?["accessories"]?.elements?.first?.members
            #expect(record?["notes"]?.members?["floor"] == .integer(-1))
        }
        try store.remember(.sample(1, notes: ["floor": "two"]))
        #expect(try store.load().accessories == [.sample(1, notes: ["floor": "two"])])
    }

    @Test("Unknown fields of a later version are preserved")
    func unknownFields() throws {
        let store = FileAccessoryStore(folder.file)
        try store.remember(.sample(1, name: "old"))
        var text = try String(contentsOf: folder.file, encoding: .utf8)
        text = text.replacingOccurrences(
            of: "\"format\"",
            with: "\"theme\": [1, 2.5, -3, null, true, {\"deep\": \"x\"}], \"format\""
        )
        text = text.replacingOccurrences(of: "\"kind\"", with: "\"color\": \"red\", \"kind\"")
        text = text.replacingOccurrences(of: "\"accessories\": [", with: "\"accessories\": [7,")
        try folder.write(Data(text.utf8))

        let before = try store.load()
        #expect(before.accessories == [.sample(1, name: "old")])
        #expect(before.setAside == [.init(reason: "number of records that are not accessories: 1")])
        try store.remember(.sample(1, name: "new"))
        try store.remember(.sample(2))
        #expect(try store.load().accessories == [.sample(1, name: "new"), .sample(2)])
        let data = try Data(contentsOf: folder.file)
        let fields = try JSON(parsing: data).members
        #expect(
            fields?["theme"]
                == .array([
                    .integer(1), .number(2.5), .integer(-3), .null, .bool(true),
                    .object([.init("deep", .string("x"))]),
                ])
        )
        #expect(fields?["accessories"]?.elements?.first == .integer(7))
        #expect(fields?["accessories"]?.elements?[1].members?["color"] == .string("red"))
    }

    // MARK: Damage

    @Test(
        "A damaged or foreign file is moved aside and reported, and the store continues",
        arguments: [
            "", "{", "null", "[]", "{}", "\u{FEFF}", #"{"format":"lanyard.accessories"}"#,
            #"{"format":"lanyard.accessories","version":2,"accessories":[]}"#,
            #"{"format":"another application's","version":1,"accessories":[]}"#,
            #"{"format":"lanyard.accessories","version":1,"accessories":{}}"#,
        ]
    )
    func damaged(text: String) throws {
        try folder.write(Data(text.utf8))
        let store = FileAccessoryStore(folder.file)
        let loaded = try store.load()
        #expect(loaded.accessories == [])
        let place = try #require(loaded.setAside.first?.location)
        #expect(try Data(contentsOf: place) == Data(text.utf8))
        #expect(try store.load() == RememberedAccessories())
        try store.remember(.sample(1))
        #expect(try store.load().accessories == [.sample(1)])
    }

    @Test("A damaged file is moved aside and reported when a change finds it")
    func damagedBeforeChange() throws {
        var store = FileAccessoryStore(folder.file)
        let reports = Mutex<[RememberedAccessories.SetAside]>([])
        store.movedAside = { file in reports.withLock { $0.append(file) } }
        try folder.write(Data("{".utf8))
        try store.remember(.sample(1))
        try folder.write(Data("[".utf8))
        try store.forget(RememberedAccessory.sample(1).identity)
        try store.remember(.sample(2))
        let places = reports.withLock { $0.compactMap(\.location?.lastPathComponent) }
        #expect(places.map { $0.suffix(9) } == ["damaged-1", "damaged-2"])
    }

    @Test("Only a few damaged files are preserved")
    func manyDamaged() throws {
        let store = FileAccessoryStore(folder.file)
        for number in 0..<12 {
            try folder.write(Data("\(number)".utf8))
            try store.remember(.sample(number))
        }
        let damaged = folder.names.filter { $0.contains("damaged") }
        #expect(damaged.count == DurableFile.setAsideLimit)
        let last = folder.file.appendingPathExtension("damaged-\(DurableFile.setAsideLimit)")
        #expect(try String(contentsOf: last, encoding: .utf8) == "11")
    }

    @Test(
        "A document that is truncated or altered is decoded or refused",
        arguments: RunSeed.seeds(1)
    )
    func fuzz(seed: UInt64) throws {
        let store = FileAccessoryStore(folder.file)
        for number in 0..<2 { try store.remember(.sample(number, name: "strap")) }
        let whole = try Data(contentsOf: folder.file)
        for count in 0..<(whole.count - 1) {
            #expect(throws: AccessoryDocument.Fault.self) {
                try AccessoryDocument(whole.prefix(count))
            }
        }
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2000 {
            var bytes = [UInt8](whole)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] =
                    UInt8.random(in: 0...255, using: &generator)
            }
            guard let document = try? AccessoryDocument(Data(bytes)) else { continue }
            #expect(document.accessories.known.count + document.accessories.unreadableCount <= 2)
            #expect(try AccessoryDocument(document.encoded()) == document)
        }
        for _ in 0..<2000 {
            _ = try? AccessoryDocument(Data(generator.bytes(upTo: 200)))
        }
    }

    @Test("A deeply nested value is refused and does not end the process")
    func nested() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: AccessoryDocument.Fault.self) {
            try AccessoryDocument(Data(deep.utf8))
        }
    }

    @Test("A file that is too long is refused and stays in place")
    func tooLong() throws {
        try folder.write(Data(count: DurableFile.sizeLimit + 1))
        let store = FileAccessoryStore(folder.file)
        #expect(throws: AccessoryStoreFailure.self) { try store.load() }
        #expect(throws: AccessoryStoreFailure.self) { try store.remember(.sample(1)) }
        #expect(folder.names.contains("accessories.json"))
    }

    @Test("A store does not write a file that is too long to be read")
    func tooLongToWrite() throws {
        let store = FileAccessoryStore(folder.file)
        try store.remember(.sample(1))
        let notes = ["text": String(repeating: "x", count: DurableFile.sizeLimit)]
        #expect {
            try store.remember(.sample(2, notes: notes))
        } throws: { error in
            (error as? AccessoryStoreFailure)?.code == EFBIG
        }
        #expect(try store.load().accessories == [.sample(1)])
    }

    @Test("A failed write throws an error, and the text of the failure has its reason")
    func unwritable() throws {
        try folder.write(Data())
        let store = FileAccessoryStore(folder.file.appendingPathComponent("below a file"))
        #expect(throws: (any Error).self) { try store.remember(.sample(1)) }
        let failure = AccessoryStoreFailure(operation: "open", path: "/x", code: EACCES)
        #expect(failure.description == "cannot open /x: Permission denied")
    }

    @Test("The remains of an interrupted write do not disturb the next one")
    func leftovers() throws {
        let store = FileAccessoryStore(folder.file)
        try store.remember(.sample(1))
        try Data("half".utf8).write(to: folder.file.appendingPathExtension("new"))
        #expect(try store.load().accessories == [.sample(1)])
        try store.remember(.sample(2))
        #expect(try store.load().accessories == [.sample(1), .sample(2)])
        #expect(folder.names == ["accessories.json", "accessories.json.lock"])
    }

    // MARK: Concurrent use

    @Test("Concurrent writes lose nothing")
    func concurrent() async throws {
        let file = folder.file
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask { try FileAccessoryStore(file).remember(.sample(number)) }
            }
            try await group.waitForAll()
        }
        #expect(try FileAccessoryStore(file).load().accessories.count == 24)
    }

    @Test("The default location depends on the environment and the central's name")
    func places() {
        #if os(Linux)
            let state = FileAccessoryStore.standardFolder(["XDG_STATE_HOME": "/s", "HOME": "/h"])
            #expect(state.path == "/s/lanyard")
            let home = FileAccessoryStore.standardFolder(["XDG_STATE_HOME": "s", "HOME": "/h"])
            #expect(home.path == "/h/.local/state/lanyard")
            #expect(FileAccessoryStore.standardFolder([:]).path.hasSuffix("/.local/state/lanyard"))
        #endif
        #expect(FileAccessoryStore.fileName(for: "my-app_1") == "my-app_1.json")
        #expect(FileAccessoryStore.fileName(for: "../a b") == "%2E%2E%2Fa%20b.json")
        let standard: FileAccessoryStore = .standard("gateway")
        #expect(standard.url.path.hasSuffix("anyard/accessories/gateway.json"))
    }
}
