// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HCITransports
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

// The completions of arguments in the scripts for bash, zsh and fish.
extension CompletionKind {
    /// The names of the accessories of the virtual world, if the command line or the environment
    /// chooses it. On another adapter, the names would need a scan, which takes too long.
    static let targets = CompletionKind.custom { words, _, _ in
        CommandLineCompletion.targets(words)
    }

    /// The adapters of this computer, the Bluetooth daemon, and the virtual adapter.
    static let adapters = CompletionKind.custom { _, _, _ in CommandLineCompletion.adapters() }

    /// The names of characteristics, as in `battery-level`.
    static let characteristics = CompletionKind.custom { _, _, _ in
        CommandLineCompletion.characteristics
    }
}

/// The candidates for arguments on the command line.
enum CommandLineCompletion {
    /// Returns the names of the accessories of the chosen virtual world; none on another adapter.
    static func targets(
        _ words: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [String] {
        let adapter = option("--adapter", in: words) ?? environment["LANYARD_ADAPTER"] ?? ""
        guard case .virtual(let scenario)? = try? AdapterChoice(adapter) else { return [] }
        guard let scenario else { return examples }
        return (try? ScenarioFile.read(scenario))?.devices.map(\.name) ?? []
    }

    /// The names of the example accessories that accept connections.
    private static var examples: [String] {
        let world = World(seed: 1)
        guard let controllers = try? ExampleAccessories.populate(world) else { return [] }
        return zip(ExampleAccessories.kinds, controllers).compactMap { kind, controller in
            ["beacon", "eddystone"].contains(kind) ? nil : world.name(of: controller)
        }
    }

    /// Returns the value of an option, without quotes.
    private static func option(_ name: String, in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == name, index + 1 < words.count { return unquoted(words[index + 1]) }
            if word.hasPrefix(name + "=") {
                return unquoted(String(word.dropFirst(name.count + 1)))
            }
        }
        return nil
    }

    private static func unquoted(_ word: String) -> String { word.filter { !"\"'\\".contains($0) } }

    static func adapters() -> [String] {
        SystemAdapters.list().map(\.specification.description) + ["bluez", "virtual"]
    }

    static let characteristics: [String] = AssignedNumbers.characteristicNames.values.sorted()
        .map { $0.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-") }
}
