// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import JSONText
import Synchronization
import VirtualAdapters
import VirtualRadio

/// The virtual world as the map of the page.
final class LiveWorld: Sendable {
    /// The maximum coordinate of a place to which a controller can be moved, in meters.
    static let distanceLimit = 100_000.0

    private let air = Mutex<LiveAir?>(nil)

    /// Takes the radio of a virtual adapter.
    func use(_ air: LiveAir) {
        self.air.withLock { $0 = air }
    }

    /// Returns the world; `nil` if the adapter is not virtual.
    ///
    /// - Parameter host: The public address of the host's controller, at which powers are measured.
    func map(around host: DeviceAddress?) async -> JSON? {
        guard let air = air.withLock({ $0 }) else { return nil }
        return await air.perform { world in
            let status = world.status
            let own = status.controllers.first { $0.publicAddress == host }?.id
            let links = status.links.map { link in
                JSON.array([
                    .integer(link.central.number), .integer(link.peripheral.number),
                    .integer(orNull: link.centralRSSI),
                ])
            }
            return .object([
                .init("host", .integer(orNull: own?.number)),
                .init("controllers", .array(status.controllers.map { json($0, own, world) })),
                .init("links", .array(links)),
            ])
        }
    }

    /// Moves a controller to another place, in meters. Its height stays the same.
    func move(_ number: Int, x: Double, y: Double) async throws(ProgramFailure) {
        guard max(abs(x), abs(y)) <= Self.distanceLimit else {
            let limit = Int(Self.distanceLimit / 1_000)
            throw .usage("the position is too far away", advice: "stay within \(limit) km")
        }
        try await change(number) { world, controller in
            let height = world.status.controllers.first { $0.id == controller }?.position.z ?? 0
            world.move(controller, to: Position(x: x, y: y, z: height))
        }
    }

    /// Switches a controller on or off.
    func power(_ number: Int, isOn: Bool) async throws(ProgramFailure) {
        try await change(number) { world, controller in
            if isOn { world.switchOn(controller) } else { world.switchOff(controller) }
        }
    }

    private func change(
        _ number: Int,
        _ body: @escaping @Sendable (World, ControllerID) -> Void
    ) async throws(ProgramFailure) {
        guard let air = air.withLock({ $0 }) else {
            throw .usage("the adapter is not virtual, so there is no map")
        }
        let isFound = await air.perform { world in
            let found = world.status.controllers.first { $0.id.number == number }
            if let found { body(world, found.id) }
            return found != nil
        }
        guard isFound else { throw ProgramFailure(.notFound, "the world has no such device") }
    }
}

private func json(
    _ controller: WorldStatus.Controller,
    _ host: ControllerID?,
    _ world: World
) -> JSON {
    let power = host.flatMap {
        $0 == controller.id ? nil : world.power(from: controller.id, to: $0)
    }
    return .object([
        .init("number", .integer(controller.id.number)),
        .init("name", .string(TerminalText.escape(controller.label))),
        .init("x", .number((controller.position.x * 100).rounded() / 100)),
        .init("y", .number((controller.position.y * 100).rounded() / 100)),
        .init("on", .bool(controller.isOn)),
        .init("power", power.map { .integer(Int($0.rounded())) } ?? .null),
    ])
}
