// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothGATT

struct ExploreCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "List the services, characteristics and values of a peripheral."
    )

    @Argument(help: Lanyard.targetHelp) var target: String
    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        let session = try options.session(on: console)
        let progress = ProgressLine(console: console)
        try await session.withLink(to: target) { link, found in
            let explorer = Explorer(
                accessory: link,
                limits: session.limits,
                progress: { progress.show($0) }
            )
            let exploration = try await explorer.explore(advertisedName: found.name)
            progress.clear()
            try console.print(options.json ? exploration.json.indented : exploration.tree.text)
        }
    }
}

struct ReadCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read the value of a characteristic."
    )

    @Argument(help: Lanyard.targetHelp) var target: String
    @Argument(help: Lanyard.characteristicHelp) var characteristic: String
    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        let reference = try CharacteristicReference(characteristic)
        let session = try options.session(on: console)
        try await session.withLink(to: target) { link, _ in
            let operations = CharacteristicOperations(accessory: link, limits: session.limits)
            let report = try await operations.read(reference)
            try console.print(options.json ? report.json.compact : report.line)
        }
    }
}

struct WriteCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write the value of a characteristic."
    )

    @Argument(help: Lanyard.targetHelp) var target: String
    @Argument(help: Lanyard.characteristicHelp) var characteristic: String
    @Argument(
        help: """
            Hexadecimal bytes (01ff), a text (text:hello), a number with its type (uint16:300), or a \
            value as in a file of lanyard serve ({"sint16": 21.5, "exponent": -2}).
            """
    )
    var value: String

    @Flag(help: "Write without response: the peripheral does not confirm the value.")
    var withoutResponse = false

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        let reference = try CharacteristicReference(characteristic)
        let bytes = try ValueArgument(value).bytes
        let session = try options.session(on: console)
        try await session.withLink(to: target) { link, _ in
            let operations = CharacteristicOperations(accessory: link, limits: session.limits)
            let report = try await operations.write(
                bytes,
                to: reference,
                withResponse: !withoutResponse
            )
            try console.print(options.json ? report.json.compact : report.line)
        }
    }
}

struct SubscribeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Subscribe to a characteristic and print its values.",
        discussion: """
            Ends after --count values or with Ctrl-C. --json prints one object per line.
            """
    )

    @Argument(help: Lanyard.targetHelp) var target: String
    @Argument(help: Lanyard.characteristicHelp) var characteristic: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End after this many values.", valueName: "n")
    )
    var count: Int?

    @Flag(help: "Subscribe to indications even if the characteristic offers notifications.")
    var indicate = false

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        let reference = try CharacteristicReference(characteristic)
        if let count, count < 1 {
            throw ProgramFailure.usage(
                "'\(count)' is not a valid --count",
                advice: "use at least 1"
            )
        }
        let session = try options.session(on: console)
        let kind: GATT.SubscriptionKind? = indicate ? .indication : nil
        try await session.withLink(to: target) { link, _ in
            let operations = CharacteristicOperations(accessory: link, limits: session.limits)
            try await operations.subscribe(to: reference, kind: kind, count: count) { report in
                try console.print(options.json ? report.json.compact : report.line)
            }
        }
    }
}
