// SPDX-License-Identifier: Apache-2.0

import Scenarios

// The tables of the virtual radio in docs/PERFORMANCE.md, printed as Markdown: `RadioTables
// [HOURS|streams|rooms]`. Run with `taskset -c 1`: on one core.
//
// The first two tables, of streams, are in virtual time, and the same on every machine. The tables
// of rooms (`RoomScenario`) are in real time: only their growth from row to row can be compared
// between machines. Each room with up to a hundred accessories is simulated for HOURS (1 by
// default). A larger room is simulated for less, so that it has about as many packets as the room
// with a hundred.
@main
struct RadioTables {
    static func main() async throws {
        let argument = CommandLine.arguments.dropFirst().first
        let hours = argument.flatMap { Double($0) } ?? 1
        if argument == "rooms" { return try rooms(1) }
        try streams()
        print()
        try await ServedTable.print()
        if argument == "streams" { return }
        print()
        try rooms(hours)
        print()
        try await hostedRooms(hours)
    }

    // MARK: Throughput

    /// The number of notifications that fit into a connection event, from the specification's
    /// formulas for air times: interval, 1M, 1M encrypted, 2M, 2M encrypted.
    private static let ceilings: [(milliseconds: Double, counts: [Int])] = [
        (7.5, [3, 3, 5, 5]), (15, [6, 6, 10, 10]), (30, [12, 12, 21, 21]), (50, [20, 20, 35, 35]),
    ]

    private static func streams() throws {
        print("| interval | 1M | 1M encrypted | 2M | 2M encrypted |")
        print("|--:|--:|--:|--:|--:|")
        for (milliseconds, counts) in ceilings {
            var cells = ["\(milliseconds) ms"]
            for (place, count) in counts.enumerated() {
                let scenario = try StreamScenario(
                    milliseconds: milliseconds,
                    is2M: place >= 2,
                    isEncrypted: place % 2 == 1
                )
                let bits = Double(count * StreamScenario.notificationLength * 8)
                let ceiling = bits / milliseconds
                let rate = scenario.bitRate(over: .seconds(60)) / 1_000
                guard rate > 0 else { throw NothingMeasured() }
                let share = tenths(100 * rate / ceiling)
                cells.append("\(tenths(rate)) of \(tenths(ceiling)) = \(share) %")
            }
            print("| " + cells.joined(separator: " | ") + " |")
        }
    }

    // MARK: Rooms

    private static let roomSizes = [10, 30, 100, 300, 1_000]

    private static func rooms(_ hours: Double) throws {
        printHead("reports")
        for count in roomSizes {
            let room = try RoomScenario(accessoryCount: count)
            let span = span(of: hours, count)
            let real = ContinuousClock().measure { room.run(for: span) }
            try printRow(count, span, real, room.reportCount)
        }
    }

    private static func hostedRooms(_ hours: Double) async throws {
        printHead("advertisements reported by the host")
        for count in roomSizes {
            let span = span(of: hours, count)
            let start = ContinuousClock.now
            let reportCount = try await HostedRoom.scan(accessoryCount: count, for: span)
            try printRow(count, span, ContinuousClock.now - start, reportCount)
        }
    }

    private static func span(of hours: Double, _ count: Int) -> Duration {
        .seconds(3_600 * hours * min(1, 100 / Double(count)))
    }

    private static func printHead(_ what: String) {
        print("| accessories | virtual s | real s | virtual / real | \(what) | µs for each |")
        print("|--:|--:|--:|--:|--:|--:|")
    }

    /// A row for which nothing was measured.
    private struct NothingMeasured: Error {}

    private static func printRow(
        _ count: Int,
        _ span: Duration,
        _ real: Duration,
        _ reportCount: Int
    ) throws {
        guard reportCount > 0 else { throw NothingMeasured() }
        let each = real / .microseconds(max(1, reportCount))
        print(
            "| \(count) | \(tenths(span / .seconds(1))) | \(tenths(real / .seconds(1))) "
                + "| \(tenths(span / real)) | \(reportCount) | \(tenths(each)) |"
        )
    }

    private static func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
