// SPDX-License-Identifier: Apache-2.0

import VirtualAccessories
import VirtualAdapters
import VirtualRadio

/// A scenario on disk.
enum ScenarioFile {
    private static let file = WrittenFile(subject: "scenario", manual: "docs/SCENARIOS.md")

    /// Reads a scenario; throws `ProgramFailure`.
    static func read(_ path: String) throws(ProgramFailure) -> Scenario {
        try file.read(path) { text throws(ScenarioError) in
            try Scenario(parsing: text, accessories: ExampleAccessories.kinds)
        }
    }
}

extension Scenario {
    /// Puts the scenario into the world, with the example accessories in their parts.
    func populate(_ world: World) throws -> ScenarioStage {
        do {
            return try populate(world) { $0.makeAccessory() }
        } catch {
            throw ProgramFailure(.badData, "\(error)", advice: "leave some devices out")
        }
    }
}
