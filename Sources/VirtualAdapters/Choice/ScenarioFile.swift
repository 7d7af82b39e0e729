// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualAccessories

/// A scenario file whose accessories are the example accessories.
package enum ScenarioFile {
    /// The maximum length of a file, in bytes.
    package static let lengthLimit = 4 << 20

    /// Reads a scenario.
    ///
    /// - Throws: `unreadable`, `invalidText` or `invalidScenario`.
    package static func read(_ path: String) throws(AdapterChoiceError) -> Scenario {
        let text = try text(of: path)
        do throws(ScenarioError) {
            return try Scenario(parsing: text, accessories: ExampleAccessories.kinds)
        } catch {
            throw .invalidScenario(path: path, error)
        }
    }

    private static func text(of path: String) throws(AdapterChoiceError) -> String {
        let bytes: [UInt8]?
        do throws(TransportError) {
            bytes = try WholeFile.read(path, limit: lengthLimit)
        } catch {
            throw .unreadable(path: path, reason: error.fileReason)
        }
        guard let bytes, let text = String(utf8: bytes) else {
            throw .invalidText(path: path)
        }
        return text
    }
}
