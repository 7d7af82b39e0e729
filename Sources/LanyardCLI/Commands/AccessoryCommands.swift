// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothGATT
import Foundation

struct ExploreCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "List the services, characteristics and values of a peripheral."
    )

    @Argument(help: LanyardCommand.targetHelp, completion: .targets) var target: String
    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        var session = try options.session(on: console, worksOnDaemon: true)
        session.namesDevice = true
        let progress = ProgressLine(console: console)
        try await session.withAccessory(to: target) { [session] accessory, found in
            let explorer = Explorer(
                accessory: accessory,
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

    @Argument(help: LanyardCommand.targetHelp, completion: .targets) var target: String
    @Argument(help: LanyardCommand.characteristicHelp, completion: .characteristics)
    var characteristic: String
    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        let reference = try CharacteristicReference(characteristic)
        let session = try options.session(on: console, worksOnDaemon: true)
        try await session.withAccessory(to: target) { accessory, _ in
            let operations = CharacteristicOperations(accessory: accessory, limits: session.limits)
            let report = try await operations.read(reference)
            try console.print(options.json ? report.json.timed().compact : report.line)
        }
    }
}

struct WriteCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write the value of a characteristic."
    )

    @Argument(help: LanyardCommand.targetHelp, completion: .targets) var target: String
    @Argument(help: LanyardCommand.characteristicHelp, completion: .characteristics)
    var characteristic: String
    @Argument(
        help: """
            Hexadecimal bytes (01ff), a text (text:hello), a number with its type (uint16:300), a \
            value as in a file of lanyard serve ({"sint16": 21.5, "exponent": -2}), or the value in \
            words (value:21.5).
            """
    )
    var value: String

    @Flag(help: "Write without response: the peripheral does not confirm the value.")
    var withoutResponse = false

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        let reference = try CharacteristicReference(characteristic)
        let bytes = try ValueArgument(value, of: reference).bytes
        let session = try options.session(on: console, worksOnDaemon: true)
        try await session.withAccessory(to: target) { accessory, _ in
            let operations = CharacteristicOperations(accessory: accessory, limits: session.limits)
            let report = try await operations.write(
                bytes,
                to: reference,
                withResponse: !withoutResponse
            )
            try console.print(options.json ? report.json.timed().compact : report.line)
            if case .virtual = session.adapter { console.remark(Self.virtualNotice) }
        }
    }

    private static let virtualNotice = """
        lanyard: the virtual accessory ends with this command, and the value with it; to keep it, \
        run 'lanyard air' in another terminal and use --adapter tcp:127.0.0.1:6402\n
        """
}

struct SubscribeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Subscribe to characteristics and print their values.",
        discussion: """
            Prints the time and the value, and the characteristic if there are several. Ends after \
            --count values or with Ctrl-C. --json prints one object per line.
            """
    )

    @Argument(help: LanyardCommand.targetHelp, completion: .targets) var target: String
    @Argument(help: LanyardCommand.characteristicHelp, completion: .characteristics)
    var characteristics: [String]

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
        let references = try characteristics.map { try CharacteristicReference($0) }
        guard references.count <= CharacteristicSubscriptions.limit else {
            throw ProgramFailure.usage(
                "\(references.count) characteristics are too many",
                advice: "name at most \(CharacteristicSubscriptions.limit)"
            )
        }
        if let count, count < 1 {
            throw ProgramFailure.usage(
                "'\(count)' is not a valid --count",
                advice: "use at least 1"
            )
        }
        let session = try options.session(on: console, worksOnDaemon: true)
        let kind: GATT.SubscriptionKind? = indicate ? .indication : nil
        try await session.withAccessory(to: target) { accessory, _ in
            let operations = CharacteristicOperations(accessory: accessory, limits: session.limits)
            let subscriptions = CharacteristicSubscriptions(
                operations: operations,
                references: references,
                kind: kind,
                count: count
            )
            try await subscriptions.run { report in
                let date = Date()
                let line = report.line(at: date, isNamed: references.count > 1)
                try console.print(options.json ? report.json.timed(date).compact : line)
            }
        }
    }
}
