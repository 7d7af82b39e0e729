// SPDX-License-Identifier: Apache-2.0

import Foundation
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

/// A scenario on disk.
enum ScenarioFile {
    /// How long a file may be, in bytes.
    static let lengthLimit = 4 << 20

    /// Reads a scenario; without a path, one in which nobody is. Throws `ProgramFailure`.
    static func read(_ path: String) throws -> Scenario {
        let name = TerminalText.escape(path)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ProgramFailure(
                .inputOutput,
                "the scenario \(name) cannot be read",
                advice: "check the path"
            )
        }
        guard data.count <= lengthLimit, let text = TerminalText.text(utf8: data) else {
            throw ProgramFailure(
                .badData,
                "the scenario \(name) is too long, or no UTF-8",
                advice: "give a JSON file; docs/SCENARIOS.md says what may be in it"
            )
        }
        do {
            return try Scenario(parsing: text, accessories: ExampleAccessories.kinds)
        } catch {
            throw ProgramFailure(
                .badData,
                "the scenario \(name) is wrong\(TerminalText.escape(error.placed))",
                advice: "docs/SCENARIOS.md says what may be in it"
            )
        }
    }
}

extension ScenarioError {
    /// What is wrong, and where, unless it is the whole of it: goes on from "is wrong".
    fileprivate var placed: String {
        place.isEmpty ? ": \(complaint)" : " at \(place): \(complaint)"
    }
}

extension Scenario {
    /// Puts the scenario into the world, with the example accessories in their parts.
    func populate(_ world: World) throws -> ScenarioStage {
        do {
            return try populate(world) { ExampleAccessories.make(kind: $0, name: $1) }
        } catch {
            throw ProgramFailure(.badData, "\(error)", advice: "leave some devices out")
        }
    }
}
