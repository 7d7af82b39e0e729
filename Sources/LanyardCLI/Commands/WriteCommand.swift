// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct WriteCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Writes the value of a characteristic."
    )

    @Argument(help: Lanyard.targetHelp) var target: String
    @Argument(help: Lanyard.characteristicHelp) var characteristic: String
    @Argument(help: "The value, two hexadecimal digits a byte.") var hex: String

    @Flag(help: "Do not ask the accessory whether it accepted the value.")
    var withoutResponse = false

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        let reference = try CharacteristicReference(characteristic)
        let bytes = try HexArgument(hex).bytes
        let session = try options.session(on: console)
        try await session.withLink(to: target) { link, _ in
            let visit = Visit(accessory: link, limits: session.limits)
            let report = try await visit.write(
                bytes,
                to: reference,
                withResponse: !withoutResponse
            )
            try console.print(options.json ? report.json.compact : report.line)
        }
    }
}
