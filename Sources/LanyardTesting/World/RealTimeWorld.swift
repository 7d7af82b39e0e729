// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothHost
import HCITransports
import Lanyard
import VirtualAdapters
import VirtualRadio

/// A world in real time: devices and accessories on one virtual radio, in one process.
///
/// Use it for code whose timeouts are `Timer`, `asyncAfter` or `Task.sleep`, which run in real time
/// only. Use a ``TestWorld`` for all other code: its tests do not wait in real time, and the same
/// seed gives the same events. Here the order of events also depends on the machine.
///
/// ```swift
/// let world = RealTimeWorld()
/// let phone = await world.addDevice("Phone")
/// let lamp = await world.addDevice("Lamp", at: .near)
/// let central = CBCentralManager(
///     delegate: delegate,
///     queue: queue,
///     options: [CBManagerOptionAdapterKey: phone]
/// )
/// …
/// await world.shutDown()
/// ```
public final class RealTimeWorld: Sendable {
    /// The number that determines the randomness of the radio and of the devices.
    public let seed: UInt64
    /// The story of the world, with the real time since its beginning.
    public let story: Story
    private let air: LiveAir
    private let state = Lock(State())

    private struct State {
        var devices: [AdapterUsage] = []
        /// The number of devices that were added or are being added.
        var deviceCount = 0
        var accessories: [LiveAccessory] = []
        var timers: [Int: any HostTimer] = [:]
        var timerCount = 0
        var isShutDown = false
    }

    /// Creates an indoor world without devices, whose time begins at once.
    ///
    /// - Parameter seed: The number that determines the randomness of the radio and of the devices.
    public init(seed: UInt64 = 1) {
        self.seed = seed
        let air = LiveAir(World(seed: seed))
        self.air = air
        let start = air.executor.now
        story = Story(seed: seed, directory: nil) { [executor = air.executor] in
            executor.now - start
        }
    }

    deinit {
        if state.withLock({ !$0.isShutDown }) { air.shutDown() }
    }

    /// Adds a phone on which an app that uses `Lanyard` runs, in real time: for the preview of a
    /// screen, or for an app in the Simulator, which has no Bluetooth.
    ///
    /// ```swift
    /// let world = RealTimeWorld()
    /// world.add(.lamp)
    /// let lamps = LampModel(configuration: await world.addPhone("Phone"))
    /// ```
    ///
    /// The central stores its accessories in memory. The app must keep the world for as long as it
    /// uses the central.
    ///
    /// - Parameters:
    ///   - name: The name of the phone.
    ///   - distance: The distance from the origin.
    ///   - hasPrivateAddress: Whether the phone uses private addresses that change, which only
    ///     bonded devices resolve, as real phones do.
    /// - Returns: The configuration for the app's central.
    public func addPhone(
        _ name: String,
        at distance: Distance = .meters(0),
        hasPrivateAddress: Bool = false
    ) async -> AccessoryCentral.Configuration {
        let usage = await makeDevice(name, at: distance, hasPrivateAddress: hasPrivateAddress)
        var configuration = AccessoryCentral.Configuration(name: name)
        configuration.system = PortSystem(usage: usage)
        configuration.store = MemoryAccessoryStore()
        return configuration
    }

    /// Adds a device on which an app runs.
    func makeDevice(
        _ name: String,
        at distance: Distance,
        hasPrivateAddress: Bool
    ) async -> AdapterUsage {
        let number = state.withLock { state in
            state.deviceCount += 1
            return state.deviceCount
        }
        let place = ControllerConfiguration(name: name, at: Position(x: distance.meters, y: 0))
        let transport: VirtualTransport
        do throws(WorldFullError) {
            transport = try await air.addAdapter(place)
        } catch {
            preconditionFailure("\(error): there is no room for \(name)")
        }
        var configuration = HostConfiguration.ofDevice(
            number,
            seed: seed,
            hasPrivateAddress: hasPrivateAddress
        )
        configuration.name = name
        let usage = AdapterUsage(
            transport: transport,
            executor: air.executor,
            configuration: configuration
        )
        state.withLock { $0.devices.append(usage) }
        return usage
    }

    /// Adds an accessory to the world, switched on. Each accessory is in another direction from the
    /// origin.
    @discardableResult
    public func add(
        _ accessory: VirtualAccessory,
        at distance: Distance = .meters(2)
    ) -> LiveAccessory {
        let new = state.withLock { state in
            let number = state.accessories.count
            let new = LiveAccessory(accessory, number: number, at: distance, in: self)
            state.accessories.append(new)
            return new
        }
        act { new.join($0) }
        return new
    }

    /// Removes the managers and links of all devices, stops the time, and ends the world's thread.
    /// The world cannot be used afterward.
    public func shutDown() async {
        let devices = state.withLock { state -> [AdapterUsage]? in
            guard !state.isShutDown else { return nil }
            state.isShutDown = true
            return state.devices
        }
        guard let devices else { return }
        for device in devices { await device.shutDown() }
        air.shutDown()
    }
}

// Access to the world from any thread.
extension RealTimeWorld: AccessoryWorld {
    var executor: any HostExecutor { air.executor }
    var radio: World { air.world }

    // Work on the world's thread retains the world, because accessories access it there.
    func act(_ work: @escaping @Sendable (World) -> Void) {
        air.act { [self] radio in withExtendedLifetime(self) { work(radio) } }
    }

    func ask<Value: Sendable>(_ question: @escaping @Sendable () -> Value) async -> Value {
        await air.perform { _ in question() }
    }

    /// Runs `work` after a delay in real time.
    public func later(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
        let number = state.withLock { state in
            state.timerCount += 1
            return state.timerCount
        }
        let timer = air.executor.makeTimer { [weak self] in
            guard let self else { return }
            _ = state.withLock { $0.timers.removeValue(forKey: number) }
            withExtendedLifetime(self) { work() }
        }
        state.withLock { $0.timers[number] = timer }
        act { [executor = air.executor] _ in timer.set(to: executor.now + delay) }
    }
}
