// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import Synchronization
import VirtualAdapters
import VirtualRadio

/// A world for a test: an air, phones and accessories on it, and one time for all of them.
///
/// ```swift
/// let world = TestWorld(seed: 7)
/// let lamp = world.add(VirtualAccessory("Lamp", services: [lampService]))
/// try await world.run {
///     …
/// }
/// ```
public final class TestWorld: Sendable {
    /// The number from which all chance in this world follows.
    public let seed: UInt64
    /// The air that everything is on.
    package let air: SimulatedAir
    private let phones = Mutex<[TestPhone]>([])

    /// An empty world, indoors.
    public init(seed: UInt64 = 1) {
        self.seed = seed
        air = SimulatedAir(seed: seed)
        air.executor.watchApplication(MainQueueTurn(air.executor))
    }

    /// How much time has passed in it.
    public var now: Duration { air.now - .zero }

    /// What tells `Lanyard` the time of this world.
    package var timekeeper: AirTimekeeper { AirTimekeeper(air.executor) }

    /// The first phone, in the middle of the world: that on which most tests look.
    public var phone: TestPhone {
        phones.withLock(\.first) ?? addPhone("phone")
    }

    /// Puts another phone into the world.
    @discardableResult
    public func addPhone(_ name: String, at position: Position = .origin) -> TestPhone {
        let number = phones.withLock(\.count) + 1
        let phone = TestPhone(name, number: number, at: position, in: self)
        phones.withLock { $0.append(phone) }
        return phone
    }

    /// Runs `body` in this world, and with it time, until it ends.
    ///
    /// - Parameter bound: how much time of the world it may take.
    /// - Throws: what the body throws; or `VirtualAirError` if it waits for what will never come.
    public func run<Value: Sendable>(
        for bound: Duration = .seconds(600),
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await JobSteering.steering(to: air.executor) {
            try await air.run(bound: bound) { [self] in
                try await SimulationExecutor.$beneficiary.withValue(air.executor) {
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
        for phone in phones.withLock({ $0 }) { await phone.adapter.shutDown() }
        return try result.get()
    }

    /// Lets time pass in the world.
    public func advance(by duration: Duration) async throws {
        try await air.sleep(for: duration)
    }

    /// Changes the world: at once on its own thread and while it rests, and else as soon as that has
    /// the time.
    func act(_ work: @escaping @Sendable (World) -> Void) {
        guard air.executor.isRunning, !air.executor.isCurrent else { return work(air.world) }
        air.executor.perform { [air] in work(air.world) }
    }
}
