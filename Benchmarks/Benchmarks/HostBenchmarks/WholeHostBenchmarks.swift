// SPDX-License-Identifier: Apache-2.0

import Benchmark
import Scenarios

/// Declares the benchmarks of the whole host over an in-process transport, used by a task on the
/// host's executor and by a task on another thread.
func hostBenchmarks() {
    for place in Place.allCases {
        Benchmark("Read 20 bytes, \(place.rawValue)") { benchmark in
            try await benchmark.onHost(place, echo: PacketSize.value) { scenario, count in
                try await scenario.read(count: count)
            }
        }
        Benchmark("Notification of 20 bytes, \(place.rawValue)") { benchmark in
            try await benchmark.onHost(place, echo: PacketSize.value) { scenario, count in
                let stream = try await scenario.subscribe()
                try await scenario.receiveNotifications(count: count, size: 20, from: stream)
            }
        }
        Benchmark("Advertising report, 500 devices, \(place.rawValue)") { benchmark in
            try await benchmark.onHost(place, echo: PacketSize.report) { scenario, count in
                try await scenario.receiveAdvertisements(count: count, on: scenario.scan())
            }
        }
    }
}

/// Declares the benchmarks of the host as a server. The peer at the other end of the link is the
/// client.
func serverBenchmarks() {
    Benchmark("Read of 20 bytes served, by the server") { benchmark in
        try await benchmark.onHost(.onExecutor, echo: PacketSize.value) { scenario, count in
            try await scenario.serveReads(count: count)
        }
    }
    for place in Place.allCases {
        Benchmark("Read of 20 bytes served, by the application \(place.rawValue)") { benchmark in
            try await benchmark.onHost(place, echo: PacketSize.value) { scenario, count in
                try await scenario.answerReads(count: count)
            }
        }
        Benchmark("Notification of 20 bytes sent, \(place.rawValue)") { benchmark in
            try await benchmark.onHost(place, echo: PacketSize.value) { scenario, count in
                try await scenario.sendNotifications(count: count, size: 20)
            }
        }
    }
}

/// The executor of the task that uses the host.
enum Place: String, CaseIterable {
    case onExecutor = "on the host's executor"
    case elsewhere = "from another thread"
}

extension Benchmark {
    func onHost(
        _ place: Place,
        echo size: Int,
        _ body: @escaping @Sendable (HostScenario, Int) async throws -> Void
    ) async throws {
        let scenario = try await HostScenario.connected()
        let executor = place == .onExecutor ? scenario.host.executor.taskExecutor : nil
        let count = scaledIterations.count
        try await measureRatio(toEchoOf: size) {
            try await withTaskExecutorPreference(executor) { try await body(scenario, count) }
        }
        try await scenario.finish()
    }
}
