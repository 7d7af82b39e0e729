// SPDX-License-Identifier: Apache-2.0

import VirtualAdapters
import VirtualRadio

extension WrittenFile {
    /// A scenario on disk.
    static let scenario = WrittenFile(subject: "scenario", manual: "docs/SCENARIOS.md")
}

extension Scenario {
    /// The scenario in a file that a person named.
    static func read(_ path: String) throws(ProgramFailure) -> Scenario {
        do throws(AdapterChoiceError) {
            return try ScenarioFile.read(path)
        } catch {
            throw ProgramFailure(error)
        }
    }

    /// Puts the scenario into the world, with the example accessories in their parts.
    func enter(_ world: World) throws(ProgramFailure) -> ScenarioStage {
        do throws(WorldFullError) {
            return try populate(world)
        } catch {
            throw ProgramFailure(error)
        }
    }
}
