// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Dispatch
import Foundation
import Synchronization
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

/// Phones and accessories on one virtual radio, in virtual time: no test waits for a real clock.
///
/// ```swift
/// let fixture = try Fixture(.heartRate(name: "Strap"))
/// try await fixture.run {
///     let phone = fixture.central()
///     await phone.journal.wait(for: "state poweredOn")
///     …
/// }
/// ```
final class Fixture: Sendable {
    let air: SimulatedAir
    /// The adapter of the phone that most tests use.
    let adapter: CBAdapter
    /// The controllers of the accessories, in order.
    let accessories: [ControllerID]
    /// The controller of the phone.
    let phone: ControllerID
    private let seed: UInt64
    private let extraAdapters = Mutex<[CBAdapter]>([])

    /// Creates a fixture with these accessories, each one meter farther away than the previous one.
    init(
        _ accessories: SimpleAccessoryProfile...,
        seed: UInt64 = 1,
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws {
        self.seed = seed
        let world = World(seed: seed)
        self.accessories = try accessories.enumerated().map { index, profile in
            try world.addController(
                ControllerConfiguration(
                    name: profile.name,
                    at: Position(x: Double(index + 1), y: 0)
                ),
                host: SimpleAccessory(profile)
            )
        }
        phone = try world.addController(ControllerConfiguration(name: "phone"))
        // The sanitizer makes callbacks slow.
        air = SimulatedAir(world, timeout: .seconds(600))
        adapter = Self.adapter(on: air, phone, number: 1, configure)
    }

    /// Adds another device to the radio, for another manager.
    func addAdapter(
        _ name: String,
        at position: Position = Position(x: 0, y: 1),
        linkLimit: Int = 20,
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> CBAdapter {
        var options = ControllerConfiguration(name: name, at: position)
        options.linkLimit = linkLimit
        let controller = try air.world.addController(options)
        let number = extraAdapters.withLock { $0.count } + 2
        let adapter = Self.adapter(on: air, controller, number: number, configure)
        extraAdapters.withLock { $0.append(adapter) }
        return adapter
    }

    private static func adapter(
        on air: SimulatedAir,
        _ controller: ControllerID,
        number: Int,
        _ configure: (inout HostConfiguration) -> Void
    ) -> CBAdapter {
        var configuration = HostConfiguration()
        configuration.address = DeviceAddress(
            value: 0xC0_0000_0000 + UInt64(number) | 0xC000_0000_0000,
            kind: .random
        )
        configure(&configuration)
        return CBAdapter(
            transport: air.adapter(of: controller),
            executor: air.executor,
            configuration: configuration
        )
    }

    /// Runs a body in virtual time, and then shuts all adapters down.
    func run(
        bound: Duration = .seconds(120),
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await air.run(bound: bound) { [self] in
            let result = await Result.catching(body)
            for adapter in extraAdapters.withLock({ $0 }) + [adapter] { await adapter.shutDown() }
            try result.get()
        }
    }

    /// Runs a body on the main actor. Virtual time passes only while the body waits for a line of
    /// its journal, because nothing reports when the main actor runs.
    func runOnMain(_ body: @escaping @MainActor @Sendable (Journal) async throws -> Void)
        async throws
    {
        try await run { [air] in
            air.executor.beginOutsideWork()
            defer { air.executor.endOutsideWork() }
            try await body(Journal(holding: air.executor))
        }
    }

    /// Creates a central manager on the phone that records its callbacks.
    func central(
        on adapter: CBAdapter? = nil,
        queue: DispatchQueue? = nil,
        options: [String: Any] = [:]
    ) -> CentralRecorder {
        var options = options
        options[CBManagerOptionAdapterKey] = adapter ?? self.adapter
        return CentralRecorder(queue: queue ?? DispatchQueue(label: "app"), options: options)
    }
}

extension Result where Failure == any Error {
    fileprivate static func catching(_ body: () async throws -> Success) async -> Result {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
