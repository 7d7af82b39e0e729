// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct ReadCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Reads the value of a characteristic."
    )

    @Argument(help: Lanyard.targetHelp) var target: String
    @Argument(help: Lanyard.characteristicHelp) var characteristic: String
    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        let reference = try CharacteristicReference(characteristic)
        let session = try options.session(on: console)
        try await session.withLink(to: target) { link, _ in
            let visit = Visit(accessory: link, limits: session.limits)
            let report = try await visit.read(reference)
            try console.print(options.json ? report.json.compact : report.line)
        }
    }
}
