// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothHost
import Foundation

struct ChannelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Moves bytes between an L2CAP channel and standard input and output.",
        subcommands: [ChannelOpenCommand.self, ChannelListenCommand.self]
    )
}

/// What both ways to a channel have in common.
struct ChannelOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The channel's number: 1 to 255, or 0x01 to 0xFF.", valueName: "n"))
    var psm: String

    @Option(help: ArgumentHelp("The longest SDU to receive.", valueName: "octets"))
    var mtu = 2_048

    @Flag(help: "Go on until the other side closes the channel, when the input has ended.")
    var wait = false

    /// The number that `--psm` names.
    var number: L2CAP.SPSM {
        get throws {
            let digits = psm.lowercased()
            let isHexadecimal = digits.hasPrefix("0x")
            let value = isHexadecimal ? UInt16(digits.dropFirst(2), radix: 16) : UInt16(digits)
            guard let value, L2CAP.SPSM(rawValue: value).isValid else {
                throw ProgramFailure.usage(
                    "--psm \(TerminalText.escape(psm)) is not a channel's number",
                    advice: "give 1 to 255; 128 to 255 are for anybody"
                )
            }
            return L2CAP.SPSM(rawValue: value)
        }
    }

    /// What this side of the channel receives.
    var sizes: L2CAP.ChannelOptions {
        get throws {
            guard (23...65_535).contains(mtu) else {
                throw ProgramFailure.usage(
                    "--mtu \(mtu) makes no sense",
                    advice: "give 23 to 65535"
                )
            }
            return L2CAP.ChannelOptions(mtu: mtu, mps: min(mtu, 247))
        }
    }

    /// Joins the channel with the process's own streams until one of them ends.
    func pipe(_ channel: L2CAPChannel) async throws {
        let input = StandardInput()
        let pipe = ChannelPipe(
            channel: channel,
            read: { try await input.read(upTo: $0) },
            write: { try Console.writeOctets($0) },
            outlivesInput: wait
        )
        try await pipe.run()
    }
}

struct ChannelOpenCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Connects, opens a channel, and sends standard input on it.",
        discussion: """
            What arrives goes to standard output. Ends when all of the input has arrived, or the \
            accessory closes the channel.
            """
    )

    @Argument(help: Lanyard.targetHelp) var target: String
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
        abstract: "Advertises, and moves the bytes of the first channel that somebody opens.",
        discussion: """
            Standard input goes to the channel, what arrives to standard output. Ends when the other \
            side closes the channel, or all of the input has arrived.
            """
    )

    @OptionGroup var channel: ChannelOptions

    @Option(help: "The name to advertise.")
    var name = "Lanyard"

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let (number, sizes) = (try channel.number, try channel.sizes)
        let session = try options.session(on: console)
        try await session.withHost { host in
            let listener = try await host.listen(psm: number, options: sizes)
            let content = AdvertisingContent(localName: name)
            let set = try await session.limits.run("advertising") {
                try await host.advertise(Advertising(content))
            }
            console.remark("listening for channel \(number) as \(TerminalText.escape(name))\n")
            guard let opened = try await listener.accept() else { return }
            await listener.close()
            await set.stop()
            try await channel.pipe(opened)
        }
    }
}

extension Console {
    /// Writes octets to standard output as they are; what `write` throws of text, of octets too.
    fileprivate static func writeOctets(_ octets: [UInt8]) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(octets))
        } catch {
            throw failure(ofWriting: error)
        }
    }
}
