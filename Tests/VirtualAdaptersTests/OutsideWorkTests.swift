// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Dispatch
import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

/// What hosts have others do: delegates on queues of their own.
@Suite("Work outside of a virtual time", .timeLimit(.minutes(2)))
struct OutsideWorkTests {
    /// Other threads may be busy with other tests for long.
    private static let patience = Duration.seconds(100)

    private let air = SimulatedAir(World(seed: 5), patience: OutsideWorkTests.patience)
    private let queue = DispatchQueue(label: "outside", attributes: .concurrent)
    private let instants = Shared<[Instant]>([])

    /// Goes outside and comes back, as often as it is told to.
    private static func travel(
        _ trips: Int,
        in air: SimulatedAir,
        by queue: DispatchQueue,
        _ note: @escaping @Sendable (Instant) -> Void
    ) {
        guard trips > 0 else { return }
        air.executor.beginOutsideWork()
        queue.async {
            note(air.executor.now)
            air.executor.perform {
                note(air.now)
                travel(trips - 1, in: air, by: queue, note)
            }
            air.executor.endOutsideWork()
        }
    }

    @Test("takes no time, however often it goes forth and back")
    func trips() async throws {
        try await air.run { [air, queue, instants] in
            try await air.sleep(for: .seconds(1))
            Self.travel(200, in: air, by: queue) { now in instants.change { $0.append(now) } }
            try await air.sleep(for: .milliseconds(1))
        }
        #expect(instants.value == [Instant](repeating: .zero + .seconds(1), count: 400))
        #expect(air.now == .zero + .milliseconds(1_001))
    }

    @Test("is waited for until all of it is done", arguments: [1, 2, 50])
    func several(_ count: Int) async throws {
        try await air.run { [air, queue, instants] in
            for _ in 0..<count {
                Self.travel(10, in: air, by: queue) { now in instants.change { $0.append(now) } }
            }
            try await air.sleep(for: .seconds(1))
        }
        #expect(instants.value == [Instant](repeating: .zero, count: 20 * count))
    }

    @Test("is what a body may be waiting for that nothing else is due for")
    func onlyHope() async throws {
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

    @Test("that does not get done is told of, and how much of it there is")
    func hanging() async throws {
        let air = SimulatedAir(World(seed: 78), patience: .milliseconds(20))
        let error = await #expect(throws: VirtualAirError.self) {
            try await air.run { [air] in
                air.executor.beginOutsideWork()
                air.executor.beginOutsideWork()
                try await air.sleep(for: .seconds(1))
            }
        }
        #expect(error?.problem == .outsideWork(2))
        #expect(air.now == .zero, "time has stood still")
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("2 things that others do") && text.contains("seed: 78"), "\(text)")
        air.executor.endOutsideWork()
        air.executor.endOutsideWork()
        try await air.run { [air] in try await air.sleep(for: .seconds(1)) }
        #expect(air.now == .zero + .seconds(1))
    }

    @Test("is nobody's business in real time")
    func realTime() async {
        let executor = AdapterExecutor()
        executor.beginOutsideWork()
        await withCheckedContinuation { done in executor.perform { done.resume() } }
        executor.endOutsideWork()
        executor.shutDown()
    }
}
