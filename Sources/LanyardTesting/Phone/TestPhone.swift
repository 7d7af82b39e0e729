// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import HCITransports
import Lanyard
import Synchronization
import VirtualAdapters
import VirtualRadio

/// A device on which the application runs: its Bluetooth, and what the person who holds it does.
public final class TestPhone: Sendable {
    /// How it is called.
    public let name: String
    /// Its Bluetooth, for code that makes managers itself:
    /// `options: [CBManagerOptionAdapterKey: phone.adapter]`.
    public let adapter: CBAdapter
    /// Where its application remembers accessories: it lasts as long as the world.
    public let store = MemoryAccessoryStore()
    /// The objects of the application's process.
    private let process = Mutex<[any AnyObject & Sendable]>([])
    /// The centrals of the process.
    private let centrals = ApplicationProcess()
    let controller: ControllerID
    unowned let world: TestWorld

    init(_ name: String, number: Int, limit: Int?, in world: TestWorld) {
        self.name = name
        self.world = world
        var place = ControllerConfiguration(name: name, at: .origin)
        if let limit { place.linkLimit = limit }
        do throws(WorldFullError) {
            controller = try world.air.world.addController(place)
        } catch {
            preconditionFailure("\(error): \(name) finds no room in it")
        }
        var configuration = HostConfiguration()
        configuration.store = MemoryStore()
        configuration.address = DeviceAddress(
            value: 0xC0DE_0000_0000 | UInt64(number),
            kind: .random
        )
        configuration.randomness = SplitMix64(seed: world.seed ^ UInt64(number) << 32)
        adapter = CBAdapter(
            transport: world.air.adapter(of: controller),
            executor: world.air.executor,
            configuration: configuration
        )
    }

    /// For the application's central: it then uses this phone, the time of this world, and a store that
    /// lasts as long.
    ///
    /// ```swift
    /// let central = AccessoryCentral(for: [.strap], configuration: phone.configuration)
    /// ```
    public var configuration: AccessoryCentral.Configuration {
        var configuration = AccessoryCentral.Configuration(name: name)
        configuration.adapter = adapter
        configuration.timekeeper = world.timekeeper
        configuration.seed = world.seed
        configuration.store = store
        configuration.process = centrals
        return configuration
    }

    // MARK: Settings

    /// Whether Bluetooth is switched on.
    public var isPoweredOn: Bool {
        get { adapter.isPoweredOn }
        set {
            world.story.note("\(name): Bluetooth is switched \(newValue ? "on" : "off")")
            adapter.isPoweredOn = newValue
        }
    }

    /// Whether the application may use Bluetooth.
    public var isAuthorized: Bool {
        get { adapter.authorization == .allowedAlways }
        set {
            world.story.note("\(name): Bluetooth is \(newValue ? "allowed" : "denied")")
            adapter.authorization = newValue ? .allowedAlways : .denied
        }
    }

    // MARK: What goes wrong

    /// The controller breaks down and starts anew: its links end in silence, and the phone's system is told
    /// of it. A disturbance ends with it.
    public func resetController() {
        act("its controller resets") { world, controller in
            var faults = FaultPlan()
            faults.restart = world.now + .milliseconds(1)
            world.setFaults(faults, of: controller)
        }
    }

    /// Something disturbs what it hears: of all packets, this share is lost, from 0 to 1. Zero ends it.
    public func disturb(losing share: Double) {
        act("loses \(Int((share * 100).rounded())) % of what it hears") { world, controller in
            world.setLoss(LossPlan(constantLoss: share), at: controller)
        }
    }

    /// Its person removes everything that it is paired with in the settings: the keys are gone, and the
    /// links they protected end. The accessories keep theirs. For while an application uses Bluetooth.
    public func loseBonds() {
        world.story.note("\(name): loses its bonds")
        adapter.removeBonds()
    }

    // MARK: The application

    /// Starts the application: makes its object, and keeps it until `endApp()` or the end of the run.
    ///
    /// ```swift
    /// let central = phone.launch { AccessoryCentral(for: [.strap], configuration: $0) }
    /// ```
    @discardableResult
    public func launch<App: AnyObject & Sendable>(
        _ make: (AccessoryCentral.Configuration) throws -> App
    ) rethrows -> App {
        let app = try make(configuration)
        process.withLock { $0.append(app) }
        return app
    }

    /// The same for an object that is made on an actor:
    /// `await phone.launch { await Model(configuration: $0) }`.
    @discardableResult
    public func launch<App: AnyObject & Sendable>(
        _ make: @Sendable (AccessoryCentral.Configuration) async throws -> App
    ) async rethrows -> App {
        let app = try await make(configuration)
        process.withLock { $0.append(app) }
        return app
    }

    /// The process of the application ends: what was launched is let go of, all managers are gone, and so
    /// are the links. What the system keeps for the next launch is kept, and so is the store.
    public func endApp() async {
        world.story.note("\(name): the application ends")
        await end()
    }

    func end() async {
        await adapter.shutDown()
        centrals.end()
        // Freed outside of the lock: it may be much.
        _ = process.withLock { process in
            defer { process = [] }
            return process
        }
    }

    private func act(_ note: String, _ work: @escaping @Sendable (World, ControllerID) -> Void) {
        world.act { [self] radioWorld in
            world.story.note("\(name): \(note)")
            work(radioWorld, controller)
        }
    }
}
