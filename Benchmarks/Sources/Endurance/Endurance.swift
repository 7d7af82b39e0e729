// SPDX-License-Identifier: Apache-2.0

import Foundation
import Scenarios

// Performs a million operations of each kind of traffic, or COUNT (`Endurance [COUNT]`), and prints
// the memory of the process after each tenth of them. If the memory grows after the first tenth by
// more than the allocator needs, there is a leak or an unbounded queue. The program then ends with
// status 1.
@main
struct Endurance {
    static let tenths = 10
    /// The allowed growth of the process during one kind of traffic, in KiB: about one byte for
    /// each of a million operations. The allocator needs this growth to settle, and a leak in every
    /// operation exceeds it.
    static let toleratedGrowth = 1_024

    static func main() async throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
        let scenario = try await HostScenario.connected()
        let isFlat = try await withTaskExecutorPreference(scenario.host.executor.taskExecutor) {
            try await measure(scenario, count)
        }
        try await scenario.finish()
        exit(isFlat ? 0 : 1)
    }

    private static func measure(_ scenario: HostScenario, _ count: Int) async throws -> Bool {
        var isFlat = true
        let notifications = try await scenario.subscribe()
        let advertisements = scenario.scan()
        isFlat =
            try await measure("read", count) {
                try await scenario.read(count: $0)
            } && isFlat
        isFlat =
            try await measure("notification", count) {
                try await scenario.receiveNotifications(count: $0, size: 20, from: notifications)
            } && isFlat
        isFlat =
            try await measure("advertising report", count) {
                try await scenario.receiveAdvertisements(count: $0, on: advertisements)
            } && isFlat
        isFlat =
            try await measure("served read", count) {
                try await scenario.serveReads(count: $0)
            } && isFlat
        isFlat =
            try await measure("sent notification", count) {
                try await scenario.sendNotifications(count: $0, size: 20)
            } && isFlat
        return isFlat
    }

    private static func measure(
        _ name: String,
        _ count: Int,
        _ run: @Sendable (Int) async throws -> Void
    ) async throws -> Bool {
        let start = ContinuousClock.now
        var kibibytes: [Int] = []
        for _ in 0..<tenths {
            try await run(count / tenths)
            kibibytes.append(residentKibibytes())
        }
        let growth = (kibibytes.last ?? 0) - (kibibytes.first ?? 0)
        let each = (ContinuousClock.now - start) / .microseconds(count)
        print(
            "\(count) × \(name), \(String(format: "%.2f", each)) µs each: resident \(kibibytes) KiB, growth \(growth) KiB"
        )
        return growth <= toleratedGrowth
    }

    private static func residentKibibytes() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS") })
        else { return 0 }
        return line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first ?? 0
    }
}
