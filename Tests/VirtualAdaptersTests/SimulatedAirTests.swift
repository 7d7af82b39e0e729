// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

@Suite("A virtual radio in virtual time")
struct SimulatedAirTests {
    /// A long limit, because other threads may be busy with other tests.
    private static let timeout = Duration.seconds(300)

    @Test("A run returns the result of its body")
    func value() async throws {
        #expect(try await SimulatedAir(seed: 1).run { 42 } == 42)
    }

    @Test("A run throws the error of its body")
    func failure() async {
        struct TestError: Error {}
        await #expect(throws: TestError.self) {
            try await SimulatedAir(seed: 1).run { throw TestError() }
        }
    }

    @Test("A sleep of a day advances virtual time by a day")
    func sleep() async throws {
        let air = SimulatedAir(seed: 1)
        try await air.run(bound: .seconds(100_000)) { try await air.sleep(for: .seconds(86_400)) }
        #expect(air.now == .zero + .seconds(86_400))
        #expect(air.world.now == air.now)
    }

    @Test("Sleepers wake in the order of their instants")
    func order() async throws {
        let air = SimulatedAir(seed: 1)
        let woken = try await air.run {
            await withTaskGroup(of: Int.self) { group in
                for seconds in [3, 1, 2] {
                    group.addTask {
                        try? await air.sleep(for: .seconds(seconds))
                        return seconds
                    }
                }
                return await group.reduce(into: [Int]()) { $0.append($1) }
            }
        }
        #expect(woken == [1, 2, 3])
    }

    @Test("A synchronous call waits for the end of a run")
    func blocking() throws {
        let air = SimulatedAir(seed: 1)
        try air.runBlocking { try await air.sleep(for: .seconds(1)) }
        #expect(air.now == .zero + .seconds(1))
    }

    @Test("The next run continues where the last one ended")
    func twice() async throws {
        let air = SimulatedAir(seed: 1)
        for _ in 0..<2 { try await air.run { try await air.sleep(for: .seconds(1)) } }
        #expect(air.now == .zero + .seconds(2))
    }

    @Test("A canceled sleeper wakes at once")
    func cancellation() async throws {
        let air = SimulatedAir(seed: 1)
        try await air.run {
            let sleeper = Task(executorPreference: air.executor.taskExecutor) {
                try await air.sleep(for: .seconds(1_000))
            }
            try await air.sleep(for: .seconds(1))
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
        #expect(air.now == .zero + .seconds(1))
    }

    @Test("A run waits for tasks on other threads")
    func elsewhere() async throws {
        let air = SimulatedAir(World(seed: 1), timeout: Self.timeout)
        let sum = try await air.run {
            await Task.detached { (1...1_000).reduce(0, +) }.value
        }
        #expect(sum == 500_500)
    }

    @Test("Work may come from many threads")
    func foreignWork() async throws {
        let air = SimulatedAir(World(seed: 1), timeout: Self.timeout)
        let count = Shared(0)
        try await air.run {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask(executorPreference: globalConcurrentExecutor) {
                        await withCheckedContinuation { done in
                            air.executor.perform {
                                count.change { $0 += 1 }
                                done.resume()
                            }
                        }
                    }
                }
            }
        }
        #expect(count.value == 100)
    }
}

@Suite("A run whose body does not end")
struct EndlessBodyTests {
    private func problem(
        bound: Duration = .seconds(60),
        in air: SimulatedAir = SimulatedAir(World(seed: 77), timeout: .milliseconds(20)),
        _ body: @escaping @Sendable () async throws -> Void
    ) async -> VirtualAirError? {
        do {
            try await air.run(bound: bound, body)
            return nil
        } catch {
            return error as? VirtualAirError
        }
    }

    @Test("The error for a stalled run has the seed")
    func stalled() async throws {
        let error = try #require(
            await problem { for await _ in AsyncStream<Int>.makeStream().stream {} }
        )
        #expect(error.problem == .stalled)
        #expect("\(error)".contains("seed: 77"))
    }

    @Test("A run that reaches its bound is reported and canceled")
    func boundReached() async throws {
        let air = SimulatedAir(World(seed: 1), timeout: .milliseconds(20))
        let isCancelled = Shared(false)
        let error = try #require(
            await problem(bound: .seconds(5), in: air) {
                defer { isCancelled.change { $0 = Task.isCancelled } }
                try await air.sleep(for: .seconds(6))
            }
        )
        #expect(error.problem == .boundReached(.seconds(5)))
        #expect(error.instant <= .zero + .seconds(5))
        #expect(isCancelled.value)
    }

    @Test("The error names the planned faults")
    func faults() async throws {
        let air = SimulatedAir(World(seed: 1), timeout: .milliseconds(20))
        var configuration = ControllerConfiguration(name: "phone")
        configuration.faults.loss.constantLoss = 0.25
        _ = try air.addAdapter(configuration)
        let error = try #require(
            await problem(in: air) { for await _ in AsyncStream<Int>.makeStream().stream {} }
        )
        #expect("\(error)".contains("phone: loss"))
        #expect("\(error)".contains("0.25"))
    }
}
