// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Testing

@testable import LanyardCLI

@Suite("Following a packet log")
struct TraceFollowerTests {
    private let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).btsnoop"

    private func record(_ number: UInt8, at time: Int64 = 5) -> Btsnoop.Record {
        Btsnoop.Record(
            microsecondsSince1970: time,
            direction: .sent,
            packet: [0x01, number, 0x0C, 0x00][...]
        )
    }

    private func numbers(_ follower: inout TraceFollower) throws -> [UInt8] {
        var numbers: [UInt8] = []
        _ = try follower.readOn { numbers.append($0.packet[$0.packet.startIndex + 1]) }
        return numbers
    }

    @Test("A follower gets each record once, from a file that did not exist at first")
    func follows() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var follower = TraceFollower(path)
        #expect(try numbers(&follower) == [])
        let file = try TraceFile(creatingAt: path)
        #expect(try numbers(&follower) == [])
        file.append(record(1))
        file.append(record(2))
        file.flush()
        #expect(try numbers(&follower) == [1, 2])
        #expect(try numbers(&follower) == [])
        file.append(record(3))
        file.flush()
        #expect(try numbers(&follower) == [3])
    }

    @Test("A record that is written in pieces is passed when it is complete")
    func pieces() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var bytes = Btsnoop.header
        Btsnoop.append(record(7), to: &bytes)
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try #require(FileHandle(forWritingAtPath: path))
        var follower = TraceFollower(path)
        var found: [UInt8] = []
        for byte in bytes {
            try file.write(contentsOf: [byte])
            found += try numbers(&follower)
            #expect(found.isEmpty || byte == bytes.last)
        }
        #expect(found == [7])
    }

    @Test("A new log in the same place is read from its beginning, whatever its length")
    func newLogs() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var follower = TraceFollower(path)
        for (round, count) in [3, 1, 3, 5].enumerated() {
            // In round 2 the log is removed first. In round 1 it is shortened in place.
            if round == 2 { try FileManager.default.removeItem(atPath: path) }
            let file = try TraceFile(creatingAt: path)
            let wanted = (0..<count).map { UInt8(round * 10 + $0) }
            for number in wanted { file.append(record(number, at: Int64(number) + 1)) }
            file.flush()
            #expect(try numbers(&follower) == wanted)
        }
    }

    @Test("A file that is not a log, and a damaged one, are errors")
    func faults() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("this is not a packet log".utf8).write(to: URL(fileURLWithPath: path))
        var follower = TraceFollower(path)
        #expect(throws: BtsnoopError.notBtsnoop) { _ = try follower.readOn { _ in } }
        try Data(Btsnoop.header + [UInt8](repeating: 0xFF, count: 64)).write(
            to: URL(fileURLWithPath: path)
        )
        #expect(throws: BtsnoopError.self) { _ = try follower.readOn { _ in } }
    }
}
