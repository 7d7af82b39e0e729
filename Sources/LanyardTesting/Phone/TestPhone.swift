// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothHost
import BluetoothTypes
import HCITransports
import Lanyard
import VirtualAdapters
import VirtualRadio

/// A device on which the app runs: its Bluetooth, and the actions of its user.
public final class TestPhone: Sendable {
    /// The name of the phone.
    public let name: String
    /// The phone's Bluetooth adapter, with the settings of the app's process.
    let usage: AdapterUsage
    /// The store of the app's accessories, which lasts as long as the world.
    public let store = MemoryAccessoryStore()
    /// The objects of the app's process.
    private let process = Lock<[any AnyObject & Sendable]>([])
    /// The centrals of the app's process.
    private let centrals = ApplicationProcess()
    /// The user, who answers the dialogs of pairings.
    let user: PhoneUser
    /// The phone's controller, for the layers below.
    package let controller: ControllerID
    private let transport: VirtualTransport
    unowned let world: TestWorld

    init(
        _ name: String,
        number: Int,
        limit: Int?,
        hasPrivateAddress: Bool,
        in world: TestWorld
    ) {
        self.name = name
        self.world = world
        var place = ControllerConfiguration(name: name, at: .origin)
        if let limit { place.linkLimit = limit }
        do throws(WorldFullError) {
            controller = try world.air.world.addController(place)
        } catch {
            preconditionFailure("\(error): there is no room for \(name)")
        }
        transport = world.air.adapter(of: controller)
        usage = AdapterUsage(
            transport: transport,
            executor: world.air.executor,
            configuration: .ofDevice(
                number,
                seed: world.seed,
                hasPrivateAddress: hasPrivateAddress
            )
        )
        user = PhoneUser(of: name, with: controller, in: world)
    }

    /// The closure that creates the system of a phone from its adapter. Tests that run on another
    /// system replace the closure.
    @TaskLocal package static var makeSystem: @Sendable (AdapterUsage) -> any AccessorySystem = {
        PortSystem(usage: $0)
    }

    /// The phone's Bluetooth for `Lanyard`.
    private var system: any AccessorySystem { Self.makeSystem(usage) }

    /// The configuration for the app's central. The central then uses this phone, the time of this
    /// world, and the phone's store.
    ///
    /// ```swift
    /// let central = AccessoryCentral(for: [.strap], configuration: phone.configuration)
    /// ```
    public var configuration: AccessoryCentral.Configuration {
        var configuration = AccessoryCentral.Configuration(name: name)
        configuration.system = system
        configuration.timekeeper = world.timekeeper
        configuration.seed = world.seed
        configuration.store = store
        configuration.process = centrals
        return configuration
    }

    /// The configuration for an `AccessoryPeripheral` of the app. The peripheral then uses this
    /// phone, and all of its time limits are in the time of this world.
    ///
    /// ```swift
    /// let box = AccessoryPeripheral(published, configuration: phone.peripheralConfiguration)
    /// ```
    public var peripheralConfiguration: AccessoryPeripheral.Configuration {
        var configuration = AccessoryPeripheral.Configuration()
        configuration.system = system
        configuration.timekeeper = world.timekeeper
        return configuration
    }

    // MARK: Settings

    /// Whether Bluetooth is switched on.
    public var isPoweredOn: Bool {
        get { usage.switches.current.isPoweredOn }
        set {
            world.story.note("\(name): Bluetooth is switched \(newValue ? "on" : "off")")
            usage.change { $0.isPoweredOn = newValue }
        }
    }

    /// Whether the app may use Bluetooth.
    public var isAuthorized: Bool {
        get { usage.switches.current.authorization == .allowedAlways }
        set {
            world.story.note("\(name): Bluetooth is \(newValue ? "allowed" : "denied")")
            usage.change { $0.authorization = newValue ? .allowedAlways : .denied }
        }
    }

    /// Whether the app is in the background: the phone then applies the rules of iOS to all of its
    /// managers.
    ///
    /// A scan without services finds nothing. Any other scan reports each device once, whatever its
    /// options are. Advertising that starts in the background has no name, and its services are in
    /// the overflow area. Links, pending connection requests, values and restoration work as in the
    /// foreground.
    public var isInBackground: Bool {
        get { usage.followsBackgroundRules }
        set {
            world.story.note(
                "\(name): the app goes to the \(newValue ? "background" : "foreground")"
            )
            usage.followsBackgroundRules = newValue
        }
    }

    // MARK: Faults

    /// Resets the controller: its links end without any packet, and the phone's host gets a
    /// Hardware Error event. A disturbance also ends.
    public func resetController() {
        act("its controller resets") { world, controller in
            var faults = FaultPlan()
            faults.restart = world.now + .milliseconds(1)
            world.setFaults(faults, of: controller)
        }
    }

    /// Disturbs the reception of the phone.
    ///
    /// - Parameter share: The share of all packets that the phone does not receive, from 0 to 1.
    ///   Zero ends the disturbance.
    public func disturb(losing share: Double) {
        act("loses \(Int((share * 100).rounded())) % of its packets") { world, controller in
            world.setLoss(LossPlan(constantLoss: share), at: controller)
        }
    }

    /// Removes all bonds, as the user can in the settings: the keys are deleted, and links that
    /// they protect end. The accessories keep their bonds. Does nothing while no app uses
    /// Bluetooth.
    public func loseBonds() {
        world.story.note("\(name): loses its bonds")
        usage.removeBonds()
    }

    // MARK: The app

    /// Launches the app: creates its object, and keeps it until `endApp()`,
    /// `killApp(keepingLinks:)` or the end of the run.
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

    /// Launches the app with an object that is created on an actor:
    /// `await phone.launch { await Model(configuration: $0) }`.
    @discardableResult
    public func launch<App: AnyObject & Sendable>(
        _ make: @Sendable (AccessoryCentral.Configuration) async throws -> App
    ) async rethrows -> App {
        let app = try await make(configuration)
        process.withLock { $0.append(app) }
        return app
    }

    /// Ends the process of the app: releases the launched objects, and removes all managers and
    /// links. The state that the system keeps for the next launch remains, and so does the store.
    public func endApp() async {
        world.story.note("\(name): the app ends")
        await end()
    }

    /// Kills the process of the app without an orderly shutdown. The system and the store keep
    /// their state for the next launch.
    ///
    /// By default, the links send nothing more. This happens on Linux, where the app itself uses
    /// the controller, and when a phone restarts. A peer detects the loss only by its supervision
    /// timeout. A disturbance also ends.
    ///
    /// With `keepingLinks`, the system outlives the app, as on an iPhone. It keeps the links,
    /// connection requests and subscriptions of the central managers with a restoration identifier,
    /// and the next launch gets these peripherals as `connected` in `willRestoreState`. Values that
    /// arrive meanwhile are dropped. The links of other managers end, and so do advertising,
    /// published services and L2CAP channels. The test launches the app again, as the system would
    /// for an event of an accessory.
    ///
    /// - Parameter keepingLinks: Whether the system outlives the app and keeps its links.
    public func killApp(keepingLinks: Bool = false) async {
        guard !keepingLinks else {
            world.story.note("\(name): the app is killed, the system keeps its links")
            usage.endProcess()
            return endProcess()
        }
        act("the app is killed") { [transport] world, controller in
            transport.close(.closedByPeer(transport.name))
            // The kernel also resets an adapter when the process that uses it ends.
            var faults = FaultPlan()
            faults.restart = world.now
            world.setFaults(faults, of: controller)
        }
        await end()
    }

    func end() async {
        await usage.shutDown()
        endProcess()
    }

    private func endProcess() {
        centrals.end()
        // The objects are released outside of the lock, because that may take long.
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

extension HostConfiguration {
    /// Returns the host configuration of a device in a world. Each device has its own store,
    /// address and random numbers.
    static func ofDevice(
        _ number: Int,
        seed: UInt64,
        hasPrivateAddress: Bool
    ) -> HostConfiguration {
        var configuration = HostConfiguration()
        configuration.store = MemoryStore()
        configuration.address = DeviceAddress(
            value: 0xC0DE_0000_0000 | UInt64(number),
            kind: .random
        )
        configuration.privacy = hasPrivateAddress ? .on : .off
        configuration.randomness = SplitMix64(seed: seed ^ UInt64(number) << 32)
        return configuration
    }
}
