// SPDX-License-Identifier: Apache-2.0

import Scenarios

// How fast virtual time passes: a room of accessories around one scanner, `RadioTables [HOURS]`.
// Run with `taskset -c 1`: on one core. The figure that means the same on another machine is the
// growth from row to row.
@main
struct RadioTables {
    static func main() throws {
        let hours = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 1
        print("| accessories | virtual s | real s | virtual / real | µs per report | reports |")
        for count in [10, 30, 100, 300, 1_000] {
            try measure(count, for: .seconds(3_600 * hours * min(1, 100 / Double(count))))
        }
    }

    private static func measure(_ count: Int, for span: Duration) throws {
        let room = try RoomScenario(accessoryCount: count)
        let start = ContinuousClock.now
        room.run(for: span)
        let real = ContinuousClock.now - start
        let each = real / .microseconds(max(1, room.reportCount))
        print(
            "| \(count) | \(Int(span / .seconds(1))) | \(rounded(real / .seconds(1))) "
                + "| \(rounded(span / real)) | \(rounded(each)) | \(room.reportCount) |"
        )
    }

    private static func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }
}
