// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualAccessories
import VirtualRadio

/// The access to a controller: its transport and, for a virtual controller, the air that runs it.
package struct AdapterAccess: Sendable {
    /// The transport to the controller.
    package let transport: any HCITransport
    /// The transports to the other controllers, if several controllers work as one.
    package var others: [any HCITransport] = []
    /// The executor on which the host must run; `nil` if any executor is suitable.
    package var executor: AdapterExecutor?
    /// The air of the virtual controller; `nil` for a real controller.
    package var air: LiveAir?

    /// Ends the air. Call this method after the host has ended. It waits until the air's thread has
    /// ended, unless it is called on that thread.
    package func end() {
        air?.shutDown()
    }
}

extension AdapterChoice {
    /// The seed of a world that has no scenario, or whose scenario has no seed.
    private static let seed: UInt64 = 1
    /// The name of the controller that is added for the host.
    private static let name = "lanyard"

    /// Creates the access to the controller, and the world around it if it is virtual.
    ///
    /// The transport is not open yet. The world's time begins during the call.
    ///
    /// - Throws: ``AdapterChoiceError``: `daemonWithoutController`, `unreadable`, `invalidText`,
    ///   `invalidScenario` or `worldFull`.
    package func makeAccess() throws(AdapterChoiceError) -> AdapterAccess {
        switch self {
        case .reached(let specification):
            return AdapterAccess(transport: specification.makeTransport())
        case .radios(let list):
            let transports = list.map { $0.makeTransport() }
            return AdapterAccess(transport: transports[0], others: Array(transports.dropFirst()))
        case .daemon: throw .daemonWithoutController
        case .virtual(let file?): return try Self.makeAccess(to: ScenarioFile.read(file))
        case .virtual(nil):
            do throws(WorldFullError) {
                let world = World(seed: Self.seed)
                try ExampleAccessories.populate(world)
                let controller = try Self.addController(to: world)
                return Self.makeAccess(to: controller, in: LiveAir(world))
            } catch {
                throw .worldFull(error)
            }
        }
    }

    /// Returns the access to the first controller of the scenario that waits for a host, or to a
    /// new controller if no controller waits.
    private static func makeAccess(
        to scenario: Scenario
    ) throws(AdapterChoiceError) -> AdapterAccess {
        do throws(WorldFullError) {
            let world = scenario.makeWorld(seed: seed)
            let playback = try scenario.populate(world)
            let waiting = playback.waiting.first
            let controller = if let waiting { waiting } else { try addController(to: world) }
            let air = LiveAir(world)
            air.begin(playback)
            return makeAccess(to: controller, in: air)
        } catch {
            throw .worldFull(error)
        }
    }

    private static func addController(to world: World) throws(WorldFullError) -> ControllerID {
        try world.addController(ControllerConfiguration(name: name))
    }

    private static func makeAccess(
        to controller: ControllerID,
        in air: LiveAir
    ) -> AdapterAccess {
        let transport = air.adapter(of: controller)
        return AdapterAccess(transport: transport, executor: air.executor, air: air)
    }
}
