// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LanyardCLI

/// Another process that shares a standard stream may have set it to non-blocking mode.
@Suite("Standard streams in non-blocking mode")
struct StandardStreamTests {
    /// Returns the ends of a pipe, of which one is in non-blocking mode.
    private func pipe(nonBlocking place: Int) throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Foundation.pipe(&ends) == 0)
        try #require(fcntl(ends[place], F_SETFL, O_NONBLOCK) == 0)
        return (ends[0], ends[1])
    }

    private func send(_ text: String, to descriptor: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }

    @Test("Lines are read until the input ends, although there are pauses")
    func lines() async throws {
        let (reading, writing) = try pipe(nonBlocking: 0)
        defer { close(reading) }
        var lines = InputLines.stream(of: reading).texts.makeAsyncIterator()
        for text in ["one", "two", "three"] {
            send(text + "\n", to: writing)
            #expect(await lines.next() == text)
        }
        close(writing)
        #expect(await lines.next() == nil)
    }

    @Test("The bytes for a channel are read until the input ends, although there are pauses")
    func bytes() async throws {
        let (reading, writing) = try pipe(nonBlocking: 0)
        defer { close(reading) }
        let input = StandardInput(descriptor: reading)
        // The second read begins when the first has taken all bytes.
        try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            for _ in 1...2 { group.addTask { try await input.read(upTo: 10) } }
            for text in ["one", "two"] {
                send(text, to: writing)
                let piece = try await group.next()
                #expect(piece == Array(text.utf8))
            }
        }
        close(writing)
        #expect(try await input.read(upTo: 10) == nil)
    }

    @Test("Output that is longer than the pipe's buffer is written completely")
    func output() async throws {
        let (reading, writing) = try pipe(nonBlocking: 1)
        let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        let received = Task.detached {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            var received: [UInt8] = []
            while case let count = read(reading, &bytes, bytes.count), count > 0 {
                received += bytes[..<count]
            }
            close(reading)
            return received
        }
        let result = Result { try Console.writeAll(sent, to: writing) }
        close(writing)
        let all = await received.value
        #expect(throws: Never.self) { try result.get() }
        #expect(all.count == sent.count && all.elementsEqual(sent))
    }
}
