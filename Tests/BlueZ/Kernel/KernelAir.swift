// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import Foundation
import HCITransports
import ProcessTestSupport
import Synchronization
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

/// A virtual radio in real time: the kernel of a virtual machine drives its first controller, and
/// our hosts and accessories drive other controllers.
final class KernelAir: Sendable {
    /// The socket at which the machine, or another host outside this process, finds a controller.
    struct Endpoint: Sendable {
        let server: AirServer
        let specification: AdapterSpecification
    }

    /// The address of the kernel's controller. The controller keeps it across power cycles, as
    /// hardware does.
    static let kernelAddress = DeviceAddress(value: 0xC4F0_0000_0001, kind: .public)

    /// Positions without packet loss, and far enough apart that the receivers are not saturated.
    private static let places = [Position(x: 0, y: 0), Position(x: 1, y: 0)]

    let air: LiveAir
    let kernel: ControllerID
    let generation: Generation
    /// The socket at which the machine finds the kernel's controller.
    let kernelEndpoint: Endpoint
    /// The folder with the packet logs of all controllers.
    let folder: String
    private let hosts = Mutex<[(host: BluetoothHost, controller: ControllerID)]>([])
    private let endpoints = Mutex<[Endpoint]>([])

    /// Creates a virtual radio with the kernel's controller.
    init(_ generation: Generation) async throws {
        self.generation = generation
        folder = NSTemporaryDirectory() + "kernel-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        let world = World(seed: 8)
        world.watchInvariants()
        var configuration = ControllerConfiguration(
            name: "kernel",
            publicAddress: Self.kernelAddress,
            at: Self.places[0]
        )
        configuration.isOld = generation == .four
        kernel = try world.addController(configuration)
        air = LiveAir(world)
        await air.trace(into: folder)
        kernelEndpoint = try await Self.open(folder + "/kernel.sock", of: air, for: [kernel])
    }

    private static func open(
        _ path: String,
        of air: LiveAir,
        for controllers: [ControllerID]
    ) async throws -> Endpoint {
        let server = AirServer(air, waiting: controllers) { _ in }
        return Endpoint(
            server: server,
            specification: try await server.listen(at: .unix(path: path))
        )
    }

    /// Adds a controller of the kernel's generation.
    func addController(
        _ name: String,
        _ change: (inout ControllerConfiguration) -> Void = { _ in }
    ) async throws -> ControllerID {
        var configuration = ControllerConfiguration(name: name, at: Self.places[1])
        configuration.isOld = generation == .four
        change(&configuration)
        let final = configuration
        let added = await air.perform { world in
            Result { () throws(WorldFullError) in try world.addController(final) }
        }
        return try added.get()
    }

    /// Creates and starts a host on a controller of its own. The host shuts down with the
    /// virtual radio.
    func makeHost(
        _ configuration: HostConfiguration = HostConfiguration()
    ) async throws -> BluetoothHost {
        try await makeHosts([configuration])[0]
    }

    /// Creates a host for each configuration, and then starts all of them.
    func makeHosts(_ configurations: [HostConfiguration]) async throws -> [BluetoothHost] {
        var made: [BluetoothHost] = []
        for configuration in configurations {
            let number = hosts.withLock { $0.count + 1 }
            let controller = try await addController("ours \(number)")
            let host = BluetoothHost(
                transport: air.adapter(of: controller),
                configuration: configuration,
                executor: air.executor
            )
            hosts.withLock { $0.append((host, controller)) }
            made.append(host)
        }
        for host in made {
            try await within(Limits.step, "a host of ours") { try await host.start() }
        }
        return made
    }

    /// Switches off the controller of one of our hosts. The controller sends no more packets.
    func switchOffController(of host: BluetoothHost) async {
        let made = hosts.withLock { $0.first { $0.host === host } }
        guard let controller = made?.controller else { return }
        await air.perform { $0.switchOff(controller) }
    }

    /// Adds a controller for a program or for CoreBluetooth, and returns its specification.
    func openEndpoint(_ name: String) async throws -> AdapterSpecification {
        let controller = try await addController(name)
        let endpoint = try await Self.open("\(folder)/\(name).sock", of: air, for: [controller])
        endpoints.withLock { $0.append(endpoint) }
        return endpoint.specification
    }

    /// Adds an accessory.
    @discardableResult
    func add(_ profile: SimpleAccessoryProfile, named name: String) async throws -> ControllerID {
        let place = ControllerConfiguration(name: name, at: Self.places[1])
        let added = await air.perform { world in
            Result { () throws(WorldFullError) in
                try world.addController(place, host: SimpleAccessory(profile))
            }
        }
        return try added.get()
    }

    /// The rules of the wire that a host and its controller broke. Data for a link that has just
    /// ended is no violation: the event for the end reaches the host a little later.
    var violations: [String] {
        get async {
            let rules = [CommandInvariant().rule, CreditInvariant().rule]
            return await air.perform { world in
                world.violations.filter { rules.contains($0.rule) }.map(\.description)
            }
        }
    }

    /// Shuts down our hosts, and with them their links.
    func endHosts() async {
        for made in hosts.withLock({ $0 }) { await made.host.shutdown() }
    }

    /// Shuts down the hosts, the endpoints and the virtual radio.
    func end() async {
        await endHosts()
        for endpoint in endpoints.withLock({ $0 }) + [kernelEndpoint] {
            await endpoint.server.stop()
        }
        air.shutDown()
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// Gives `body` a virtual radio, and shuts it down.
func withKernelAir<Value: Sendable>(
    _ generation: Generation,
    _ body: (KernelAir) async throws -> Value
) async throws -> Value {
    let air = try await KernelAir(generation)
    do {
        let value = try await body(air)
        await air.end()
        return value
    } catch {
        await air.end()
        throw error
    }
}
