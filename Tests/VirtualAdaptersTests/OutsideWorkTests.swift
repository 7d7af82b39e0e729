// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Dispatch
import HCITransports
import Testing
import VirtualRadio

@testable import VirtualAdapters

/// Work of hosts outside of their executor, such as delegate methods on dispatch queues. Virtual
/// time does not advance until this work ends.
@Suite("Work outside of virtual time", .timeLimit(.minutes(20)))
struct OutsideWorkTests {
    /// A long limit, because other threads may be busy with other tests.
    private static let timeout = Duration.seconds(300)

    private let air = SimulatedAir(World(seed: 5), timeout: OutsideWorkTests.timeout)
    private let queue = DispatchQueue(label: "outside", attributes: .concurrent)
    private let instants = Shared<[Instant]>([])

    /// Leaves virtual time and returns, `count` times.
    private static func leaveAndReturn(
        _ count: Int,
        in air: SimulatedAir,
        by queue: DispatchQueue,
        _ note: @escaping @Sendable (Instant) -> Void
    ) {
        guard count > 0 else { return }
        air.executor.beginOutsideWork()
        queue.async {
            note(air.executor.now)
            air.executor.perform {
                note(air.now)
                leaveAndReturn(count - 1, in: air, by: queue, note)
            }
            air.executor.endOutsideWork()
        }
    }

    @Test("Repeated outside work takes no virtual time")
    func repeated() async throws {
        let queue = DispatchQueue(label: "repeated")
        try await air.run { [air, instants] in
            try await air.sleep(for: .seconds(1))
            Self.leaveAndReturn(200, in: air, by: queue) { now in instants.change { $0.append(now) }
            }
            try await air.sleep(for: .milliseconds(1))
        }
        #expect(instants.value == [Instant](repeating: .zero + .seconds(1), count: 400))
        #expect(air.now == .zero + .milliseconds(1_001))
    }

    @Test("Virtual time waits until all outside work is done", arguments: [1, 2, 50])
    func several(_ count: Int) async throws {
        try await air.run { [air, queue, instants] in
            for _ in 0..<count {
                Self.leaveAndReturn(10, in: air, by: queue) { now in
                    instants.change { $0.append(now) }
                }
            }
            try await air.sleep(for: .seconds(1))
        }
        #expect(instants.value == [Instant](repeating: .zero, count: 20 * count))
    }

    @Test("A body can wait for outside work while no event is due")
    func onlyOutsideWork() async throws {
        let sum = try await air.run { [air, queue] in
            await withCheckedContinuation { answer in
                air.executor.beginOutsideWork()
                queue.async {
                    answer.resume(returning: (1...1_000).reduce(0, +))
                    air.executor.endOutsideWork()
                }
            }
        }
        #expect(sum == 500_500)
    }

    @Test("Outside work that does not finish is reported with its count")
    func hanging() async throws {
        let air = SimulatedAir(World(seed: 78), timeout: .milliseconds(20))
        let error = await #expect(throws: VirtualAirError.self) {
            try await air.run { [air] in
                air.executor.beginOutsideWork()
                air.executor.beginOutsideWork()
                try await air.sleep(for: .seconds(1))
            }
        }
        #expect(error?.problem == .outsideWork(2))
        #expect(air.now == .zero, "virtual time does not advance")
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("2 units of work") && text.contains("seed: 78"), "\(text)")
        air.executor.endOutsideWork()
        air.executor.endOutsideWork()
        try await air.run { [air] in try await air.sleep(for: .seconds(1)) }
        #expect(air.now == .zero + .seconds(1))
    }

    @Test("Outside work may take longer than the timeout if its units end one after the other")
    func slow() throws {
        let count = 5
        for _ in 0..<count { air.executor.beginOutsideWork() }
        var waitCount = 0
        try air.awaitProgress {
            waitCount += 1
            air.executor.endOutsideWork()
            return air.executor.outsideWorkCount == 0
        }
        #expect(waitCount == count)

        air.executor.beginOutsideWork()
        let error = #expect(throws: VirtualAirError.self) { try air.awaitProgress { false } }
        #expect(error?.problem == .outsideWork(1))
        air.executor.endOutsideWork()
    }

    @Test("In real time, outside work does not hold up other work")
    func realTime() async {
        let executor = AdapterExecutor()
        executor.beginOutsideWork()
        await withCheckedContinuation { done in executor.perform { done.resume() } }
        executor.endOutsideWork()
        executor.shutDown()
    }
}
