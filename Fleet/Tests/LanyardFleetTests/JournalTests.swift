// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LanyardFleet

struct JournalTests {
    static let key = AcceptedCommand.Key(accessory: "strap", id: "é")
    static let records: [JournalRecord] = [
        .next(7),
        .message(7, FleetMessage(topic: "a/b", payload: "{}", isRetained: true)),
        .accepted(AcceptedCommand(key: key, topic: "t", correlation: [0, 255])),
        .message(8, FleetMessage(kind: .answer, topic: "", payload: "", correlation: [])),
        .answered(key), .finished(7),
    ]

    @Test("Every truncation of a journal keeps the whole records before it")
    func truncations() {
        let bytes = Self.records.flatMap(Journal.encode)
        let ends = Self.records.indices.map { Self.records[...$0].flatMap(Journal.encode).count }
        for length in 0...bytes.count {
            let (records, end) = Journal.read(Array(bytes.prefix(length)))
            let whole = ends.filter { $0 <= length }
            #expect(records == Array(Self.records.prefix(whole.count)))
            #expect(end == whole.last ?? 0)
        }
    }

    @Test("A damaged record ends the journal", arguments: SeededGenerator.seeds(20))
    func damage(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        var bytes = Self.records.flatMap(Journal.encode)
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        let (records, _) = Journal.read(bytes)
        #expect(records == Array(Self.records.prefix(records.count)))
        #expect(records.count < Self.records.count)
    }

    @Test("A journal keeps its records when it is opened again, cut off and rewritten")
    func files() throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/journal"
        func reopened(_ body: (inout Journal) throws -> Void) throws -> [JournalRecord] {
            var records: [JournalRecord] = []
            var journal = try Journal(opening: path, records: &records)
            try body(&journal)
            return records
        }
        #expect(try reopened { try $0.append(Self.records) } == [])
        // A crash while the next record was written.
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Journal.encode(.finished(9)).dropLast())
        try handle.close()
        #expect(try reopened { try $0.append([.finished(8)]) } == Self.records)
        #expect(try reopened { try $0.compact(to: [.next(9)]) } == Self.records + [.finished(8)])
        #expect(try reopened { try $0.append([.finished(1)]) } == [.next(9)])
        #expect(try reopened { _ in } == [.next(9), .finished(1)])
    }

    /// A child process has such a copy for a moment while it is being started.
    @Test("A journal that was closed can be opened, even if a copy of its descriptor exists")
    func copiedDescriptor() throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var (records, copies): ([JournalRecord], [Int32]) = ([], [])
        do {
            let journal = try Journal(opening: path, records: &records)
            let files = FileManager.default
            for name in try files.contentsOfDirectory(atPath: "/proc/self/fd") {
                let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                if target == journal.path, let number = Int32(name) { copies.append(dup(number)) }
            }
            withExtendedLifetime(journal) {}
        }
        defer { copies.forEach { close($0) } }
        #expect(!copies.isEmpty)
        #expect(throws: Never.self) { _ = try Journal(opening: path, records: &records) }
    }

    @Test("A second process does not use the same journal")
    func locked() throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var records: [JournalRecord] = []
        var first = try Journal(opening: path, records: &records)
        #expect(throws: JournalError.self) { _ = try Journal(opening: path, records: &records) }
        try first.append([.next(2)])
    }

    @Test("A second process does not use the file that a rewritten journal has replaced")
    func replaced() throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var records: [JournalRecord] = []
        var first = try Journal(opening: path, records: &records)
        let second = open(path, O_RDWR | O_CLOEXEC)
        defer { close(second) }
        #expect(throws: JournalError.self) { try Journal.lock(second, of: path) }
        try first.compact(to: [.next(2)])
        #expect(try !Journal.lock(second, of: path))
        #expect(throws: JournalError.self) { _ = try Journal(opening: path, records: &records) }
        try first.append([.next(3)])
    }
}
