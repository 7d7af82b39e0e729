// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualRadio

/// The choice of an adapter, which a user writes as a text such as `hci0` or `virtual`.
package enum AdapterChoice: Hashable, Sendable {
    /// A real or remote adapter, for example `hci0`, `tcp:HOST:PORT` or `unix:PATH`.
    case reached(AdapterSpecification)
    /// Several real or remote adapters that work as one, such as `hci0+hci1`.
    case radios([AdapterSpecification])
    /// A virtual adapter in a world within this process: `virtual`, with the example accessories,
    /// or `virtual:FILE`, with the devices of a scenario.
    case virtual(scenario: String?)
    /// The system's Bluetooth daemon, which other programs use at the same time: `bluez`, with its
    /// first adapter, or `bluez:hci1`.
    case daemon(adapter: String?)

    /// The valid forms of the text.
    package static let forms =
        "virtual, virtual:SCENARIO, bluez, bluez:hci1, " + AdapterSpecification.forms

    /// Returns the default of commands that need a controller: the preferred available adapter of
    /// this computer; `nil` if there is none, as on systems other than Linux.
    package static func ofSystem() -> AdapterChoice? {
        SystemAdapters.preferred().map { .reached($0) }
    }

    /// Returns the default of applications on CoreBluetooth and Lanyard and of commands that can
    /// use the daemon.
    package static func ofApplications() -> AdapterChoice? {
        ofApplications(SystemAdapters.list(), mayTake: SystemAdapters.mayTake != false)
    }

    /// Returns the default of applications, the first of these that exists; `nil` if none does:
    /// 1. The preferred available adapter, if the process may take adapters.
    /// 2. The daemon, if a program uses an adapter that is up.
    /// 3. The preferred available adapter, although the process may not take it. The state of
    ///    managers then shows the reason.
    ///
    /// - Parameters:
    ///   - adapters: The computer's adapters.
    ///   - mayTake: Whether the process has the permission to take adapters.
    package static func ofApplications(
        _ adapters: [SystemAdapter],
        mayTake: Bool
    ) -> AdapterChoice? {
        let preferred = SystemAdapter.preferred(of: adapters)?.specification
        if mayTake, let preferred { return .reached(preferred) }
        let isServed = adapters.contains {
            $0.state == .up && !$0.holders.isEmpty && $0.supportsLowEnergy != false
        }
        return isServed ? .daemon(adapter: nil) : preferred.map { .reached($0) }
    }

    /// Parses the text.
    ///
    /// - Throws: `AdapterChoiceError.noAdapter` for an invalid text, `tooManyAdapters` for too long
    ///   a list, `repeatedAdapter` for a list with the same adapter twice, and `loneAdapter` for a
    ///   list with an adapter that works only alone.
    package init(_ text: String) throws(AdapterChoiceError) {
        if text == "virtual" {
            self = .virtual(scenario: nil)
        } else if text.hasPrefix("virtual:") {
            self = .virtual(scenario: String(text.dropFirst("virtual:".count)))
        } else if text == "bluez" {
            self = .daemon(adapter: nil)
        } else if let adapter = Self.daemonAdapter(text) {
            self = .daemon(adapter: adapter)
        } else if let list = AdapterSpecification.list(text) {
            guard list.count <= AdapterSpecification.listLimit else {
                throw .tooManyAdapters(list.count)
            }
            self = .radios(list)
        } else if let error = Self.listError(text) {
            throw error
        } else {
            do throws(AdapterSpecificationError) {
                self = .reached(try AdapterSpecification(text))
            } catch {
                throw .noAdapter(error)
            }
        }
    }
}

extension AdapterChoice {
    /// Returns the reason why the adapters in a list do not work as one; `nil` if the text is no
    /// list, or if a part of it is no adapter.
    private static func listError(_ text: String) -> AdapterChoiceError? {
        let parts = text.split(
            separator: AdapterSpecification.listSeparator,
            omittingEmptySubsequences: false
        )
        guard parts.count > 1 else { return nil }
        let choices = parts.compactMap { try? AdapterChoice(String($0)) }
        guard choices.count == parts.count else { return nil }
        for choice in choices {
            guard case .reached = choice else { return .loneAdapter("\(choice)") }
        }
        var names: Set<AdapterChoice> = []
        return choices.first { !names.insert($0).inserted }.map { .repeatedAdapter("\($0)") }
    }

    /// Returns the adapter in `bluez:hci1`; `nil` for any other text.
    private static func daemonAdapter(_ text: String) -> String? {
        guard text.hasPrefix("bluez:") else { return nil }
        let adapter = String(text.dropFirst("bluez:".count))
        guard case .hci? = try? AdapterSpecification(adapter) else { return nil }
        return adapter
    }
}

extension AdapterChoice: CustomStringConvertible {
    /// The text of this choice.
    package var description: String {
        switch self {
        case .reached(let specification): specification.description
        case .radios(let list):
            list.map(\.description).joined(separator: "\(AdapterSpecification.listSeparator)")
        case .virtual(let scenario): "virtual" + (scenario.map { ":" + $0 } ?? "")
        case .daemon(let adapter): "bluez" + (adapter.map { ":" + $0 } ?? "")
        }
    }
}

/// The reason why there is no adapter for a choice.
package enum AdapterChoiceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text does not specify an adapter.
    case noAdapter(AdapterSpecificationError)
    /// The list has more adapters than `AdapterSpecification.listLimit`.
    case tooManyAdapters(Int)
    /// The list has this adapter twice.
    case repeatedAdapter(String)
    /// The list has this adapter, which works only alone.
    case loneAdapter(String)
    /// The daemon gives no access to its controller.
    case daemonWithoutController
    /// The scenario file cannot be read.
    case unreadable(path: String, reason: String)
    /// The scenario file is longer than `ScenarioFile.lengthLimit`, or is not valid UTF-8.
    case invalidText(path: String)
    /// The file is not a valid scenario.
    case invalidScenario(path: String, ScenarioError)
    /// The world cannot have this many devices.
    case worldFull(WorldFullError)

    /// The message, in one line.
    package var description: String {
        switch self {
        case .noAdapter(let error):
            "'\(error.text)' is not an adapter: \(error.problemText); use \(AdapterChoice.forms)"
        case .tooManyAdapters(let count):
            "\(count) adapters are too many: name at most \(AdapterSpecification.listLimit)"
        case .repeatedAdapter(let name): "the adapter '\(name)' is named twice"
        case .loneAdapter(let name):
            "the adapter '\(name)' works only alone, not in a list with '+'"
        case .daemonWithoutController:
            "the Bluetooth daemon gives no access to its controller; use CoreBluetooth or Lanyard, or "
                + "another adapter"
        case .unreadable(let path, let reason): "the scenario \(path) cannot be read: \(reason)"
        case .invalidText(let path):
            "the scenario \(path) has more than \(ScenarioFile.lengthLimit) bytes, or is not UTF-8"
        case .invalidScenario(let path, let error): "the scenario \(path) is not valid: \(error)"
        case .worldFull(let error): error.description
        }
    }
}
