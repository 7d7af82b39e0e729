// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualRadio

/// The adapter that a person has chosen, by a text.
package enum AdapterChoice: Hashable, Sendable {
    /// One that is somewhere: `hci0`, `tcp:HOST:PORT` or `unix:PATH`, say.
    case reached(AdapterSpecification)
    /// One in a world within this process: with example accessories around it, `virtual`, or those
    /// of a scenario, `virtual:FILE`.
    case virtual(scenario: String?)

    /// What may be said.
    package static let forms = "virtual, virtual:SCENARIO, " + AdapterSpecification.forms

    /// What is used where nobody says which: the first adapter of this computer that may be taken. Nil if
    /// there is none, as on computers without Linux.
    package static func ofSystem() -> AdapterChoice? {
        SystemAdapters.preferred().map { .reached($0) }
    }

    /// Reads what a person said; throws `AdapterChoiceError.noAdapter` for anything else.
    package init(_ text: String) throws(AdapterChoiceError) {
        if text == "virtual" {
            self = .virtual(scenario: nil)
        } else if text.hasPrefix("virtual:") {
            self = .virtual(scenario: String(text.dropFirst("virtual:".count)))
        } else {
            do throws(AdapterSpecificationError) {
                self = .reached(try AdapterSpecification(text))
            } catch {
                throw .noAdapter(error)
            }
        }
    }
}

extension AdapterChoice: CustomStringConvertible {
    /// The text that reads as this choice.
    package var description: String {
        switch self {
        case .reached(let specification): specification.description
        case .virtual(let scenario): "virtual" + (scenario.map { ":" + $0 } ?? "")
        }
    }
}

/// Why there is no adapter as it was chosen.
package enum AdapterChoiceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text names none.
    case noAdapter(AdapterSpecificationError)
    /// The file of the scenario cannot be read.
    case unreadable(path: String)
    /// The file of the scenario is longer than `ScenarioFile.lengthLimit`, or no UTF-8.
    case noText(path: String)
    /// The file is no scenario.
    case noScenario(path: String, ScenarioError)
    /// The world has no room for so many devices.
    case worldFull(WorldFullError)

    /// One line.
    package var description: String {
        switch self {
        case .noAdapter(let error):
            "'\(error.text)' is no adapter: \(error.complaint); use \(AdapterChoice.forms)"
        case .unreadable(let path): "the scenario \(path) cannot be read"
        case .noText(let path): "the scenario \(path) is too long, or no UTF-8"
        case .noScenario(let path, let error): "the scenario \(path) is wrong: \(error)"
        case .worldFull(let error): error.description
        }
    }
}
