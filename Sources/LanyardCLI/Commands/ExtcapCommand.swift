// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HCITransports

/// A capture source for Wireshark, with the options that Wireshark gives to capture sources.
struct ExtcapCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "extcap",
        abstract: "Pass packets to Wireshark from logs that are still being written.",
        discussion: """
            Wireshark starts this command through a file in its folder extcap; docs/COMMANDS.md \
            describes how to make it. --log names the file of --trace, or the directory of 'lanyard \
            air --trace'.
            """
    )

    @Flag(help: "List the interfaces.") var extcapInterfaces = false
    @Flag(help: "List the link types of the interface.") var extcapDlts = false
    @Flag(help: "List the options of the interface.") var extcapConfig = false
    @Flag(help: "Capture until Wireshark closes the pipe.") var capture = false

    @Option(help: ArgumentHelp("The interface.", valueName: "name"))
    var extcapInterface: String?

    @Option(help: ArgumentHelp("The version of Wireshark. It is not used.", valueName: "version"))
    var extcapVersion: String?

    @Option(help: ArgumentHelp("A capture filter. It is not used.", valueName: "filter"))
    var extcapCaptureFilter: String?

    @Option(help: ArgumentHelp("The pipe for the packets.", valueName: "file"))
    var fifo: String?

    @Option(
        help: ArgumentHelp("The packet log, or a directory of logs.", valueName: "path"),
        completion: .file()
    )
    var log: String?

    /// The name of the interface.
    private static let interface = "lanyard"

    func run(on console: Console) async throws {
        if extcapInterfaces {
            try console.print("extcap {version=\(LanyardCommand.configuration.version)}")
            try console.print("interface {value=\(Self.interface)}{display=Lanyard: Bluetooth HCI}")
            return
        }
        if let extcapInterface, extcapInterface != Self.interface {
            let shown = TerminalText.escape(String(extcapInterface.prefix(60)))
            throw ProgramFailure.usage(
                "'\(shown)' is not an interface",
                advice: "use \(Self.interface)"
            )
        }
        if extcapDlts {
            return try console.print(
                "dlt {number=\(PcapngWriter.linkType)}{name=BLUETOOTH_HCI_H4_WITH_PHDR}"
                    + "{display=Bluetooth HCI H4 with direction}"
            )
        }
        if extcapConfig { return try printConfiguration(on: console) }
        guard capture, let fifo, let log, !log.isEmpty else {
            throw ProgramFailure.usage(
                "a capture needs --fifo and --log",
                advice: "choose the packet log in the options of Wireshark's interface"
            )
        }
        try await Self.capture(log, into: fifo)
    }

    private func printConfiguration(on console: Console) throws {
        try console.print(
            "arg {number=0}{call=--log}{display=Packet log}{type=string}{required=true}"
                + "{tooltip=The path of the file of --trace, or of the directory of lanyard air --trace}"
        )
    }

    /// Writes packets to the pipe until its reader closes it.
    private static func capture(_ log: String, into fifo: String) async throws {
        guard let pipe = WaitingCall.perform({ FileHandle(forWritingAtPath: fifo) }) else {
            throw ProgramFailure(
                .inputOutput,
                "the pipe \(TerminalText.escape(fifo)) cannot be opened"
            )
        }
        defer { try? pipe.close() }
        var writer = PcapngWriter()
        var logs = FollowedLogs(log)
        var waiting = PcapngWriter.header
        do {
            try await logs.follow { record, name in
                waiting += writer.blocks(for: record, of: name)
            } rest: {
                guard !waiting.isEmpty else { return }
                try Console.writeAll(waiting, to: pipe.fileDescriptor)
                waiting = []
            }
        } catch let failure as ProgramFailure where failure == .outputClosed {
            // Wireshark has ended the capture.
        }
    }
}
