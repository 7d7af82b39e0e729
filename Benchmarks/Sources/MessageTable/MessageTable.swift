// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard

// The cost of messages, printed as Markdown: the framings compared with copying the same bytes, and
// channels by messages and requests per second. Run with `taskset -c 1`: on one core.
@main
struct MessageTable {
    private static let messageCount = 20_000
    private static let repetitions = 9

    static func main() async throws {
        try printFramings()
        try await printChannels()
        #if os(Linux)
            try await AirTable().print()
        #endif
    }

    // MARK: Framings

    private static func printFramings() throws {
        print("| framing | message, bytes | chunk | MB a second | times as long as a copy |")
        print("|---|--:|--:|--:|--:|")
        let framings: [(String, any MessageFraming)] = [
            ("STX and ETX", .startEnd()), ("length in front", .lengthPrefixed()), ("COBS", .cobs()),
        ]
        for (name, framing) in framings {
            for (size, chunk) in [(40, 244), (1_000, 244), (1_000, 4_096)] {
                try printFraming(name, framing, size: size, chunk: chunk)
            }
        }
        print("")
    }

    private static func printFraming(
        _ name: String,
        _ framing: any MessageFraming,
        size: Int,
        chunk: Int
    ) throws {
        let message = Data((0..<size).map { UInt8(0x20 + $0 % 90) })
        let frame = try framing.frame(message)
        let stream = (0..<messageCount).reduce(into: Data()) { stream, _ in stream.append(frame) }
        let chunks = stride(from: 0, to: stream.count, by: chunk).map {
            Data(stream[$0..<min($0 + chunk, stream.count)])
        }
        let parsing = fastest {
            var framing = framing
            var count = 0
            for chunk in chunks { count += framing.receive(chunk).count }
            precondition(count == messageCount, "\(count) messages")
        }
        let copying = fastest {
            var copy = Data(capacity: stream.count)
            for chunk in chunks { copy.append(chunk) }
            precondition(copy.count == stream.count, "\(copy.count) bytes")
        }
        let rate = Double(stream.count) / 1e6 / (parsing / .seconds(1))
        print("| \(name) | \(size) | \(chunk) | \(Int(rate)) | \(tenths(parsing / copying)) |")
    }

    private static func fastest(_ body: () -> Void) -> Duration {
        (0..<repetitions).map { _ in ContinuousClock().measure(body) }.min() ?? .zero
    }

    // MARK: Channels

    struct Reading: Codable, Sendable {
        var sensor = "outdoor"
        var celsius = 21.5
    }

    private static func printChannels() async throws {
        print("| over a pair in this process | a second | µs for each |")
        print("|---|--:|--:|")
        let (left, right) = LoopTransport.pair()
        let (near, far) = (MessageChannel(over: left), MessageChannel(over: right))
        let service = far.answer(Reading.self) { $0 }
        try await printRate("messages, one after the other") {
            try await near.send(Reading())
        }
        try await printRate("requests, one after the other") {
            _ = try await near.request(Reading(), expecting: Reading.self)
        }
        try await printRate("requests, 16 at once", atOnce: 16) {
            _ = try await near.request(Reading(), expecting: Reading.self)
        }
        withExtendedLifetime(service) {}
    }

    private static func printRate(
        _ name: String,
        atOnce: Int = 1,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let count = messageCount / atOnce
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<atOnce {
                group.addTask { for _ in 0..<count { try await body() } }
            }
            try await group.waitForAll()
        }
        let each = (ContinuousClock.now - start) / .microseconds(1) / Double(count * atOnce)
        print("| \(name) | \(Int(1_000_000 / each)) | \(tenths(each)) |")
    }

    /// Returns a number with one decimal.
    static func tenths(_ number: Double) -> String {
        "\((number * 10).rounded() / 10)"
    }
}
