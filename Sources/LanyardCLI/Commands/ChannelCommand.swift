// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothHost
import Foundation
import HCITransports

struct ChannelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Transfer bytes between an L2CAP channel and standard input and output.",
        subcommands: [ChannelOpenCommand.self, ChannelListenCommand.self]
    )
}

/// The options of both ways to open a channel.
struct ChannelOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The channel's SPSM: 1 to 255, or 0x01 to 0xFF.", valueName: "n"))
    var psm: String

    @Option(help: ArgumentHelp("The longest SDU to receive.", valueName: "bytes"))
    var mtu = 2_048

    @Flag(help: "After the end of the input, wait until the peer closes the channel.")
    var wait = false

    /// The number that `--psm` names.
    var number: L2CAP.SPSM {
        get throws {
            let digits = psm.lowercased()
            let isHexadecimal = digits.hasPrefix("0x")
            let value = isHexadecimal ? UInt16(digits.dropFirst(2), radix: 16) : UInt16(digits)
            guard let value, L2CAP.SPSM(rawValue: value).isValid else {
                throw ProgramFailure.usage(
                    "--psm \(TerminalText.escape(psm)) is not a valid SPSM",
                    advice: "use 1 to 255; apps choose from 128 to 255"
                )
            }
            return L2CAP.SPSM(rawValue: value)
        }
    }

    /// The sizes of the SDUs and PDUs that this side receives.
    var sizes: L2CAP.ChannelOptions {
        get throws {
            guard (23...65_535).contains(mtu) else {
                throw ProgramFailure.usage(
                    "'\(mtu)' is not a valid --mtu",
                    advice: "use 23 to 65535"
                )
            }
            return L2CAP.ChannelOptions(mtu: mtu, mps: min(mtu, 247))
        }
    }

    /// Joins the channel with the standard streams of the process.
    func pipe(_ channel: L2CAPChannel) async throws {
        let input = StandardInput()
        let pipe = StandardStreamPipe(
            channel: channel,
            read: { try await input.read(upTo: $0) },
            write: { try Console.writeAll($0, to: STDOUT_FILENO) },
            outlivesInput: wait,
            isInputReady: { input.isReady }
        )
        try await pipe.run()
    }
}

struct ChannelOpenCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Connect to a peripheral and open a channel.",
        discussion: """
            Sends standard input and writes received bytes to standard output. Ends when the peer \
            closes the channel or, without --wait, has received all of the input.
            """
    )

    @Argument(help: LanyardCommand.targetHelp, completion: .targets) var target: String
    @OptionGroup var channel: ChannelOptions
    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        let (number, sizes) = (try channel.number, try channel.sizes)
        let session = try options.session(on: console)
        try await session.withLink(to: target) { link, _ in
            let opened = try await session.limits.run("opening channel \(number)") {
                try await link.openChannel(psm: number, options: sizes)
            }
            try await channel.pipe(opened)
        }
    }
}

struct ChannelListenCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Advertise, and accept the first channel that a central opens.",
        discussion: """
            Sends standard input and writes received bytes to standard output. Ends when the peer \
            closes the channel or, without --wait, has received all of the input.
            """
    )

    @OptionGroup var channel: ChannelOptions

    @Option(help: "The name to advertise. (default: LANYARD_NAME, or else the host name)")
    var name: String?

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let (number, sizes) = (try channel.number, try channel.sizes)
        let session = try options.session(on: console)
        try await session.withRadios { radios in
            var listeners: [ChannelListener] = []
            for host in radios.hosts {
                listeners.append(try await host.listen(psm: number, options: sizes))
            }
            let name = name ?? DefaultDeviceName.standard()
            let content = AdvertisingContent(localName: name)
            var sets: [AdvertisingSet] = []
            for host in radios.hosts {
                let set = try await session.limits.run("advertising") {
                    try await host.advertise(Advertising(content))
                }
                sets.append(set)
            }
            console.remark("listening for channel \(number) as \(TerminalText.escape(name))\n")
            let first = try await FirstResult.of(
                listeners.map { listener in { @Sendable in try await listener.accept() } }
            )
            guard let opened = first else { return }
            for listener in listeners { await listener.close() }
            for set in sets { await set.stop() }
            try await channel.pipe(opened)
        }
    }
}
