// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothGATT

struct SubscribeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Prints the values of a characteristic as the accessory sends them.",
        discussion: """
            Ends after --count values, or with Ctrl-C. With --json, one object a line.
            """
    )

    @Argument(help: Lanyard.targetHelp) var target: String
    @Argument(help: Lanyard.characteristicHelp) var characteristic: String

    @Option(help: ArgumentHelp("End after this many values.", valueName: "n"))
    var count: Int?

    @Flag(help: "Ask for indications, also where notifications are offered.")
    var indicate = false

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        let reference = try CharacteristicReference(characteristic)
        if let count, count < 1 {
            throw ProgramFailure.usage("--count \(count) makes no sense", advice: "give at least 1")
        }
        let session = try options.session(on: console)
        let kind: GATT.SubscriptionKind? = indicate ? .indication : nil
        try await session.withLink(to: target) { link, _ in
            let visit = Visit(accessory: link, limits: session.limits)
            try await visit.subscribe(to: reference, kind: kind, count: count) { report in
                try console.print(options.json ? report.json.compact : report.line)
            }
        }
    }
}
