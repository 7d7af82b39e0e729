// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualAccessories
import VirtualRadio

/// A way to a controller, for as long as somebody needs it.
package struct AdapterAccess: Sendable {
    /// The way.
    package let transport: any HCITransport
    /// Where its host has to run; nil if that makes no difference.
    package var executor: AdapterExecutor?
    /// The world in which the controller is; nil if it is a real one.
    package var air: LiveAir?

    /// Lets go of it, after its host. Not on the air's own thread, whose end it awaits.
    package func end() {
        air?.shutDown()
    }
}

extension AdapterChoice {
    /// The seed of a world whose scenario has none.
    private static let seed: UInt64 = 1
    /// What the controller is called in whose place the host is.
    private static let name = "lanyard"

    /// Makes the way to the controller, and the world around it if it is a virtual one. At once: no
    /// transport is opened, and the world's time begins when this returns. Throws all of
    /// `AdapterChoiceError` but `noAdapter`.
    package func makeAccess() throws(AdapterChoiceError) -> AdapterAccess {
        switch self {
        case .reached(let specification):
            return AdapterAccess(transport: specification.makeTransport())
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

    /// The first controller of the scenario that waits for a host; if none does, one of its own.
    private static func makeAccess(
        to scenario: Scenario
    ) throws(AdapterChoiceError) -> AdapterAccess {
        do throws(WorldFullError) {
            let world = scenario.makeWorld(seed: seed)
            let stage = try scenario.populate(world)
            let waiting = stage.waiting.first
            let controller = if let waiting { waiting } else { try addController(to: world) }
            let air = LiveAir(world)
            air.begin(stage)
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
