// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
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
    /// What has happened in it.
    public let story: Story
    private let phones = Mutex<[TestPhone]>([])
    private let accessories = Mutex<[LiveAccessory]>([])
    private let timers = Mutex<[any HostTimer]>([])

    /// A world with a phone in the middle, and nothing else, indoors.
    ///
    /// - Parameters:
    ///   - seed: the number from which all chance follows.
    ///   - directory: where packet logs are to be written, for Wireshark to open; it has to be there. Nil
    ///     for what the environment variable `LANYARD_TRACE` says, and for none without it.
    public init(seed: UInt64 = 1, tracingInto directory: String? = nil) {
        self.seed = seed
        let air = SimulatedAir(seed: seed)
        self.air = air
        let directory = directory ?? ProcessInfo.processInfo.environment["LANYARD_TRACE"]
        story = Story(seed: seed, directory: directory) { air.now - .zero }
        if let directory { air.trace(into: directory) }
        air.executor.watchApplication(MainQueueTurn(air.executor))
        addPhone("phone")
    }

    /// How much time has passed in it.
    public var now: Duration { air.now - .zero }

    /// What tells `Lanyard` the time of this world.
    package var timekeeper: AirTimekeeper { AirTimekeeper(air.executor) }

    /// The first phone, in the middle of the world: that on which most tests look.
    public var phone: TestPhone { phones.withLock { $0[0] } }

    /// Puts another phone into the world, next to the first. Before it runs.
    @discardableResult
    public func addPhone(_ name: String, connectionLimit: Int? = nil) -> TestPhone {
        phones.withLock { phones in
            let number = phones.count + 1
            let phone = TestPhone(name, number: number, limit: connectionLimit, in: self)
            phones.append(phone)
            return phone
        }
    }

    /// Puts an accessory into the world, switched on: the more there are, the more directions they are
    /// in.
    @discardableResult
    public func add(
        _ accessory: VirtualAccessory,
        at distance: Distance = .metres(2)
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
        act { new.enter($0) }
        return new
    }

    /// Runs `body` in this world, and with it time, until it ends.
    ///
    /// - Parameter bound: how much time of the world it may take.
    /// - Throws: what the body throws; or `VirtualAirError` if it waits for what will never come.
    public func run<Value: Sendable>(
        for bound: Duration = .seconds(7_200),
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
        for phone in phones.withLock({ $0 }) { await phone.end() }
        return try result.get()
    }

    /// Lets time pass in the world.
    public func advance(by duration: Duration) async throws {
        try await air.sleep(for: duration)
    }

    /// Keeps a timer, which else would be gone.
    func keep(_ timer: any HostTimer) {
        timers.withLock { $0.append(timer) }
    }
}
