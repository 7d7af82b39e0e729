// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothTypes

extension ShellVocabulary {
    /// All commands, in the order of the help.
    static let entries: [Entry] = radio + values + security + link + explanations + scripting

    private static let radio = [
        Entry(
            name: "scan",
            arguments: "[SECONDS] [--service S] [--name N] [--minimum-rssi R] [--discovery P] "
                + "[--passive]",
            summary: "List the devices that advertise: a live table, or lines for a time.",
            kinds: [.service]
        ) { arguments throws(ProgramFailure) in
            .perform(.scan(try ShellScanOptions.request(Array(arguments.takeAll()))))
        },
        Entry(
            name: "connect",
            arguments: "[TARGET]",
            summary: "Connect to a device; without a target, to the last one.",
            kinds: [.target]
        ) { arguments throws(ProgramFailure) in
            .perform(.connect(try optionalTarget(&arguments)))
        },
        Entry(
            name: "disconnect",
            arguments: "",
            summary: "End the link.",
            kinds: []
        ) { _ in .perform(.disconnect) },
        Entry(
            name: "status",
            arguments: "",
            summary: "Print the adapter, the link and the subscriptions.",
            kinds: []
        ) { _ in .perform(.status) },
    ]

    private static func optionalTarget(
        _ arguments: inout ShellArguments
    ) throws(ProgramFailure) -> Target? {
        guard let text = arguments.takeOptional() else { return nil }
        return try Target(text)
    }

    private static let values = [
        Entry(
            name: "explore",
            arguments: "",
            summary: "List the services, characteristics and values of the device.",
            kinds: []
        ) { _ in .perform(.explore) },
        Entry(
            name: "read",
            arguments: "CHARACTERISTIC",
            summary: "Read a value.",
            kinds: [.characteristic(.read)]
        ) { arguments throws(ProgramFailure) in
            .perform(.read(try CharacteristicReference(try arguments.take())))
        },
        Entry(
            name: "write",
            arguments: "CHARACTERISTIC VALUE [--without-response]",
            summary: "Write a value.",
            kinds: [.characteristic([.write, .writeWithoutResponse]), .other]
        ) { arguments throws(ProgramFailure) in
            let isSilent = arguments.takeFlag("--without-response")
            let reference = try CharacteristicReference(try arguments.take())
            let bytes = try ValueArgument(try restOfLine(&arguments), of: reference).bytes
            return .perform(.write(reference, bytes, withResponse: !isSilent))
        },
        Entry(
            name: "subscribe",
            arguments: "CHARACTERISTIC… [--indicate]",
            summary: "Print the values that the device sends, until unsubscribe.",
            kinds: [.subscribable]
        ) { arguments throws(ProgramFailure) in
            let kind: GATT.SubscriptionKind? =
                arguments.takeFlag("--indicate") ? .indication : nil
            let first = try CharacteristicReference(try arguments.take())
            return .perform(.subscribe([first] + (try references(&arguments)), kind))
        },
        Entry(
            name: "unsubscribe",
            arguments: "[CHARACTERISTIC…]",
            summary: "End these subscriptions, or all.",
            kinds: [.subscribable]
        ) { arguments throws(ProgramFailure) in
            .perform(.unsubscribe(try references(&arguments)))
        },
    ]

    private static func references(
        _ arguments: inout ShellArguments
    ) throws(ProgramFailure) -> [CharacteristicReference] {
        var references: [CharacteristicReference] = []
        for word in arguments.takeAll() { references.append(try CharacteristicReference(word)) }
        return references
    }

    /// Takes the rest of the line. The bytes of a value may be separate words.
    private static func restOfLine(
        _ arguments: inout ShellArguments
    ) throws(ProgramFailure) -> String {
        let first = try arguments.take()
        return ([first] + arguments.takeAll()).joined(separator: " ")
    }

    private static let security = [
        Entry(
            name: "pair",
            arguments: "[--mitm] [--io CAPABILITY] [--no-bond] …",
            summary: "Pair and keep the bond, with the options of 'lanyard pair'.",
            details: """
                --mitm requires protection against a man in the middle. The other options are
                --legacy, --min-key-size BYTES, --keypresses and --debug-key-that-protects-nothing.
                """,
            kinds: [.pairingOption]
        ) { arguments throws(ProgramFailure) in
            let words = Array(arguments.takeAll())
            _ = try PairingOptions.parsed(words)
            return .perform(.pair(words))
        },
        Entry(
            name: "answer",
            arguments: "TEXT",
            summary: "In a script: answer the next question of a pairing.",
            kinds: []
        ) { arguments throws(ProgramFailure) in
            .perform(.answer(arguments.takeAll().joined(separator: " ")))
        },
        Entry(
            name: "bonds",
            arguments: "",
            summary: "List the bonds.",
            kinds: []
        ) { _ in .perform(.bonds) },
        Entry(
            name: "forget",
            arguments: "[TARGET]",
            summary: "Remove a bond; without a target, that of the connected device.",
            kinds: [.target]
        ) { arguments throws(ProgramFailure) in
            .perform(.forget(try optionalTarget(&arguments)))
        },
    ]

    private static let link = [
        Entry(
            name: "mtu",
            arguments: "",
            summary: "Print the ATT MTU.",
            kinds: []
        ) { _ in .perform(.mtu) },
        Entry(
            name: "parameters",
            arguments: "[MS|MS-MS [LATENCY [TIMEOUT]]]",
            summary: "Print the connection interval, latency and timeout, or change them.",
            kinds: []
        ) { arguments throws(ProgramFailure) in
            .perform(.parameters(try ConnectionUpdate.parse(&arguments)))
        },
        Entry(
            name: "rssi",
            arguments: "",
            summary: "Print the signal strength.",
            kinds: []
        ) { _ in .perform(.rssi) },
        Entry(
            name: "phy",
            arguments: "[1M|2M|coded]",
            summary: "Print the physical layers, or change them.",
            kinds: [.physicalLayer]
        ) { arguments throws(ProgramFailure) in
            .perform(.phy(try physicalLayer(&arguments)))
        },
    ]

    /// The physical layers by their names.
    static let physicalLayers: [(name: String, phy: PHY)] = [
        ("1M", .le1M), ("2M", .le2M), ("coded", .leCoded),
    ]

    private static func physicalLayer(
        _ arguments: inout ShellArguments
    ) throws(ProgramFailure) -> PHY? {
        guard let text = arguments.takeOptional() else { return nil }
        guard
            let found = physicalLayers.first(where: { $0.name.lowercased() == text.lowercased() })
        else {
            let shown = TerminalText.escape(String(text.prefix(60)))
            throw .usage("'\(shown)' is not a physical layer", advice: arguments.advice)
        }
        return found.phy
    }

    private static let explanations = [
        Entry(
            name: "info",
            arguments: "UUID|NAME",
            summary: "Explain a UUID.",
            kinds: [.uuid]
        ) { arguments throws(ProgramFailure) in
            .perform(.info(try UUIDExplanation(try restOfLine(&arguments)).uuid))
        },
        Entry(
            name: "decode",
            arguments: "UUID|NAME VALUE",
            summary: "Print the meaning of a value.",
            kinds: [.uuid, .other]
        ) { arguments throws(ProgramFailure) in
            let uuid = try UUIDExplanation(try arguments.take()).uuid
            return .perform(.decode(uuid, try ValueArgument(try restOfLine(&arguments)).bytes))
        },
    ]
}
