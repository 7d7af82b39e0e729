// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import Foundation
import HCITransports
import ProcessTestSupport
import Synchronization
import VirtualAdapters
import VirtualRadio

/// An air of ours in real time: the kernel of a virtual machine drives its first controller, and
/// hosts of ours drive the others.
final class KernelAir: Sendable {
    /// Where the machine, or another host outside the process, finds a controller.
    struct Door: Sendable {
        let server: AirServer
        let specification: AdapterSpecification
    }

    /// The kernel's controller has the same address whenever it gets power, as one of flesh has.
    static let kernelAddress = DeviceAddress(value: 0xC4F0_0000_0001, kind: .public)

    /// Far enough from each other not to be deafening, near enough that nothing is lost.
    private static let places = [Position(x: 0, y: 0), Position(x: 1, y: 0)]

    let air: LiveAir
    let kernel: ControllerID
    let generation: Generation
    /// Where the machine finds the kernel's controller.
    let kernelDoor: Door
    /// Where the packet logs of all controllers are.
    let folder: String
    private let hosts = Mutex<[BluetoothHost]>([])
    private let doors = Mutex<[Door]>([])

    /// Makes an air with the kernel's controller in it.
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
        kernelDoor = try await Self.open(folder + "/kernel.sock", of: air, for: [kernel])
    }

    private static func open(
        _ path: String,
        of air: LiveAir,
        for controllers: [ControllerID]
    ) async throws -> Door {
        let server = AirServer(air, waiting: controllers) { _ in }
        return Door(server: server, specification: try await server.listen(at: .unix(path: path)))
    }

    /// Puts a controller of the kernel's generation into the air.
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

    /// Makes a host of ours on a controller of its own, started; it is shut down with the air.
    func makeHost(
        _ configuration: HostConfiguration = HostConfiguration()
    ) async throws -> BluetoothHost {
        let number = hosts.withLock { $0.count + 1 }
        let controller = try await addController("ours \(number)")
        let host = BluetoothHost(
            transport: air.adapter(of: controller),
            configuration: configuration,
            executor: air.executor
        )
        hosts.withLock { $0.append(host) }
        try await within(Limits.step, "a host of ours") { try await host.start() }
        return host
    }

    /// Where a program, or CoreBluetooth, finds a controller of its own.
    func openDoor(_ name: String) async throws -> AdapterSpecification {
        let controller = try await addController(name)
        let door = try await Self.open("\(folder)/\(name).sock", of: air, for: [controller])
        doors.withLock { $0.append(door) }
        return door.specification
    }

    /// What did not hold between some host and its controller, of the rules that hold on any wire.
    /// Data that crosses the end of its link is no fault of a host's that hears of it a little later.
    var violations: [String] {
        get async {
            let rules = [CommandInvariant().rule, CreditInvariant().rule]
            return await air.perform { world in
                world.violations.filter { rules.contains($0.rule) }.map(\.description)
            }
        }
    }

    /// Ends our hosts, and with them their links.
    func endHosts() async {
        for host in hosts.withLock({ $0 }) { await host.shutdown() }
    }

    /// Ends everything.
    func end() async {
        await endHosts()
        for door in doors.withLock({ $0 }) + [kernelDoor] { await door.server.stop() }
        air.shutDown()
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// Gives `body` an air, and ends it.
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
