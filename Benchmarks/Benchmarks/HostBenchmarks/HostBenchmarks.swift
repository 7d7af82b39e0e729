// SPDX-License-Identifier: Apache-2.0

import Benchmark
import Scenarios

// Run with `taskset -c 1 swift package benchmark`: on one core.

/// The duration of an operation, in thousandths of a raw round trip (`SocketEcho`) with a packet of
/// the same size in the same run. Unlike a time, this figure can be compared between machines.
let ratio = BenchmarkMetric.custom(
    "raw round trips × 1000",
    polarity: .prefersSmaller,
    useScalingFactor: false
)

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput, .peakMemoryResident, ratio],
        warmupIterations: 3,
        scalingFactor: .kilo,
        maxDuration: .seconds(5),
        maxIterations: 1_000
    )

    decodeBenchmarks()
    hostBenchmarks()
    serverBenchmarks()
}

/// The sizes of H4 packets in bytes: a packet with a value of 20 bytes has 32, and a packet with a
/// report of an advertisement of 31 bytes has 46.
enum PacketSize {
    static let value = 32
    static let report = 46
}

extension Benchmark {
    /// Runs `body` and records the duration of each repetition in raw round trips.
    func measureRatio(toEchoOf size: Int, _ body: () async throws -> Void) async throws {
        guard let echo = EchoTimes.roundTrip(size: size) else { return error("no sockets left") }
        let start = ContinuousClock.now
        startMeasurement()
        try await body()
        stopMeasurement()
        let each = (ContinuousClock.now - start) / scaledIterations.count
        measurement(ratio, Int(each / echo * 1_000))
    }
}
