// SPDX-License-Identifier: Apache-2.0

import Scenarios

// The tables of CoreBluetooth in docs/PERFORMANCE.md, printed as Markdown: its own cost above the
// host, measured in the same run. Run with `taskset -c 1`: on one core.
@main
struct FacadeTable {
    private static let warmUp = 2_000
    private static let sampleCount = 5_000
    private static let valueCount = 100_000
    private static let serviceCount = 50

    static func main() async throws {
        try await printRates()
        try await printLatencies()
        try await printDiscovery()
    }

    // MARK: Notifications

    private static func printRates() async throws {
        print(
            "| notifications of 20 bytes | bursts of | per second | µs each | relative to the host |"
        )
        print("|---|--:|--:|--:|--:|")
        for burst in [8, 64] {
            let host = try await HostScenario.connected()
            let stream = try await host.subscribe()
            let own = try await time {
                try await host.receiveNotifications(
                    count: $0,
                    size: 20,
                    burst: burst,
                    from: stream
                )
            }
            try await host.finish()
            let facade = try await FacadeScenario.connected()
            let above = try await time {
                await facade.receiveNotifications(count: $0, size: 20, burst: burst)
            }
            await facade.finish()
            printRate("the host's stream, another thread", burst, own, own)
            printRate("a CBPeripheral's delegate", burst, above, own)
        }
        print("")
    }

    /// Returns the microseconds for one of many operations.
    private static func time(_ body: (Int) async throws -> Void) async throws -> Double {
        try await body(warmUp)
        let start = ContinuousClock.now
        try await body(valueCount)
        return (ContinuousClock.now - start) / .microseconds(1) / Double(valueCount)
    }

    private static func printRate(_ name: String, _ burst: Int, _ each: Double, _ own: Double) {
        let rate = Int(1_000_000 / each)
        print("| \(name) | \(burst) | \(rate) | \(tenths(each)) | \(tenths(each / own)) |")
    }

    // MARK: Latency of single values

    private static func printLatencies() async throws {
        print(
            "| from a packet's arrival to | median, µs | 99th percentile, µs | median after the observer, µs |"
        )
        print("|---|--:|--:|--:|")
        let observed = try await hostLatencies { try await $0.observerLatencies(count: $1) }
        let streamed = try await hostLatencies { try await $0.streamLatencies(count: $1) }
        let facade = try await FacadeScenario.connected()
        _ = await facade.latencies(count: warmUp)
        let delegateFigures = Figures(await facade.latencies(count: sampleCount))
        await facade.finish()
        printLatency("the host's observer, a closure on the host's thread", observed, observed)
        printLatency("the host's stream, in a task on another thread", streamed, observed)
        printLatency("a delegate, on a serial queue", delegateFigures, observed)
        print("")
    }

    private static func hostLatencies(
        _ body: (HostScenario, Int) async throws -> [Duration]
    ) async throws -> Figures {
        let scenario = try await HostScenario.connected()
        _ = try await body(scenario, warmUp)
        let figures = Figures(try await body(scenario, sampleCount))
        try await scenario.finish()
        return figures
    }

    private static func printLatency(_ name: String, _ figures: Figures, _ own: Figures) {
        let (median, late) = (tenths(figures.median), tenths(figures.late))
        print("| \(name) | \(median) | \(late) | \(tenths(figures.median - own.median)) |")
    }

    // MARK: Discovery

    private static func printDiscovery() async throws {
        print("| \(serviceCount) services of two values each | real, ms | virtual, s |")
        print("|---|--:|--:|")
        for procedure in DiscoveryScenario.Procedure.allCases {
            var runs: [(real: Duration, virtual: Duration)] = []
            for _ in 0..<5 {
                runs.append(
                    try await DiscoveryScenario(serviceCount: serviceCount).run(procedure)
                )
            }
            let median = runs.sorted { $0.real < $1.real }[runs.count / 2]
            let real = tenths(median.real / .milliseconds(1))
            print("| \(procedure.rawValue) | \(real) | \(tenths(median.virtual / .seconds(1))) |")
        }
    }

    /// Returns a number with one decimal.
    private static func tenths(_ number: Double) -> String {
        "\((number * 10).rounded() / 10)"
    }
}

/// The figures of a series of times, in microseconds.
struct Figures {
    let median: Double
    /// The time that one in a hundred exceeds.
    let late: Double

    init(_ times: [Duration]) {
        let sorted = times.sorted()
        median = sorted[sorted.count / 2] / .microseconds(1)
        late = sorted[sorted.count * 99 / 100] / .microseconds(1)
    }
}
