// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import HCITransports
import VirtualAdapters
import VirtualRadio

/// A world for a test: a virtual radio with phones and accessories that share one virtual time.
///
/// ```swift
/// let world = TestWorld(seed: 7)
/// let lamp = world.add(VirtualAccessory("Lamp", services: [lampService]))
/// try await world.run {
///     …
/// }
/// ```
public final class TestWorld: Sendable {
    /// The number that determines all randomness in this world.
    public let seed: UInt64
    /// The air of the phones and accessories.
    package let air: SimulatedAir
    /// The story of the world.
    public let story: Story
    private let phones = Lock<[TestPhone]>([])
    private let accessories = Lock<[LiveAccessory]>([])
    private let deferred = Lock(DeferredWork())

    /// The timers of deferred work that has not run yet, by number.
    private struct DeferredWork {
        var timers: [Int: any HostTimer] = [:]
        var count = 0
    }

    /// Creates an indoor world with one phone at the origin.
    ///
    /// - Parameters:
    ///   - seed: The number that determines all randomness.
    ///   - directory: An existing directory for packet logs, which Wireshark can open; `nil` for
    ///     the value of the environment variable `LANYARD_TRACE`, or no logs without it.
    public convenience init(seed: UInt64 = 1, tracingInto directory: String? = nil) {
        self.init(seed: seed, tracingInto: directory, timeout: .seconds(10))
    }

    /// Creates a world whose runs have the real-time limit `timeout` instead of ten seconds.
    ///
    /// - Parameters:
    ///   - seed: The number that determines all randomness.
    ///   - directory: An existing directory for packet logs.
    ///   - timeout: The real time for which a run waits for tasks on other threads, when nothing
    ///     else is left to do, before it throws.
    package init(seed: UInt64, tracingInto directory: String? = nil, timeout: Duration) {
        self.seed = seed
        let air = SimulatedAir(
            World(seed: seed, pathLoss: .indoors, shadowing: .none),
            timeout: timeout
        )
        self.air = air
        let directory = directory ?? ProcessInfo.processInfo.environment["LANYARD_TRACE"]
        story = Story(seed: seed, directory: directory) { air.now - .zero }
        if let directory { air.trace(into: directory) }
        air.executor.watchApplication(MainQueueTurn(air.executor))
        addPhone("phone")
    }

    /// The time since the beginning of the world.
    public var now: Duration { air.now - .zero }

    /// The time of this world, for `Lanyard`.
    package var timekeeper: AirTimekeeper { AirTimekeeper(air.executor) }

    /// The first phone.
    public var phone: TestPhone { phones.withLock { $0[0] } }

    /// Adds another phone at the origin. Must be called before the world runs.
    ///
    /// - Parameters:
    ///   - name: The name of the phone.
    ///   - connectionLimit: The maximum number of links of its controller; `nil` for the default.
    ///   - hasPrivateAddress: Whether the phone uses private addresses that change, which only
    ///     bonded devices resolve, as real phones do.
    @discardableResult
    public func addPhone(
        _ name: String,
        connectionLimit: Int? = nil,
        hasPrivateAddress: Bool = false
    ) -> TestPhone {
        phones.withLock { phones in
            let number = phones.count + 1
            let phone = TestPhone(
                name,
                number: number,
                limit: connectionLimit,
                hasPrivateAddress: hasPrivateAddress,
                in: self
            )
            phones.append(phone)
            return phone
        }
    }

    /// Adds an accessory to the world, switched on. Each accessory is in another direction from the
    /// origin.
    @discardableResult
    public func add(
        _ accessory: VirtualAccessory,
        at distance: Distance = .meters(2)
    ) -> LiveAccessory {
        let new = accessories.withLock { accessories in
            let new = LiveAccessory(
                accessory,
                number: accessories.count,
                at: distance,
                in: self
            )
            accessories.append(new)
            return new
        }
        act { new.join($0) }
        return new
    }

    /// Runs `body` in this world, together with the world's time, until it ends.
    ///
    /// The body runs on the actor of the code that calls this method: on the main actor in a test
    /// with `@MainActor`, so that it uses the models of screens without `await`.
    ///
    /// - Parameters:
    ///   - bound: The maximum time of the world that the body may take.
    ///   - body: The program to run.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body, or a `VirtualAirError`, for example if the body waits for
    ///   an event that never comes or takes longer than the bound.
    public func run<Value: Sendable>(
        for bound: Duration = .seconds(7_200),
        @_inheritActorContext _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await JobSteering.steering(to: air.executor) {
            try await air.run(bound: bound) { [self] in
                try await SimulationExecutor.$owner.withValue(air.executor) {
                    try await live(body)
                }
            }
        }
    }

    private func live<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        for phone in phones.withLock({ $0 }) { await phone.end() }
        return try result.get()
    }

    /// Suspends the task for `duration` in the time of the world.
    ///
    /// - Throws: `CancellationError` as soon as the task is canceled.
    public func advance(by duration: Duration) async throws {
        try await air.sleep(for: duration)
    }

    /// Returns the number of the next timer.
    func newTimerNumber() -> Int {
        deferred.withLock { deferred in
            deferred.count += 1
            return deferred.count
        }
    }

    /// Keeps a timer, which would otherwise be released, until it is removed.
    func keep(_ timer: any HostTimer, as number: Int) {
        deferred.withLock { $0.timers[number] = timer }
    }

    /// Removes and returns the timer with the number.
    func removeTimer(_ number: Int) -> (any HostTimer)? {
        deferred.withLock { $0.timers.removeValue(forKey: number) }
    }
}
