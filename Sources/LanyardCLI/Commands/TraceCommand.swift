// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HCITransports

struct TraceCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Print a packet log or a sniffer capture, one PDU per line.",
        discussion: """
            Each line has the seconds since the first packet, > for a sent and < for a received \
            packet, the connection handle, the layer and the PDU. The file is a btsnoop log with H4 \
            packets, as --trace and other tools write it.

            The file can also be a pcap capture of a Bluetooth LE sniffer (link types 251 and 256). \
            In its lines, > marks packets of the central. With --keys and the file of --export-keys, \
            encrypted links are decrypted if the capture contains their start.
            """
    )

    @Argument(
        help: ArgumentHelp("A btsnoop or pcap file.", valueName: "file"),
        completion: .file()
    )
    var path: String

    @Option(
        help: ArgumentHelp("Only this connection handle, decimal or 0x….", valueName: "handle")
    )
    var connection: String?

    @Option(
        help: ArgumentHelp(
            "Only this layer. Repeat for several.",
            valueName: "hci|ll|l2cap|att|smp"
        )
    )
    var layer: [String] = []

    @Option(
        help: ArgumentHelp(
            "The keys for a capture, a file that --export-keys wrote.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var keys: String?

    @Flag(
        help: ArgumentHelp(
            "Continue with the packets that another command writes to the file.",
            discussion: """
                The file is that of --trace, which may not exist yet, or the directory of 'lanyard air \
                --trace'. A new log in its place is printed from its beginning. Ctrl-C ends it.
                """
        )
    )
    var follow = false

    @Flag(help: "Print one JSON object per line.")
    var json = false

    func run(on console: Console) async throws {
        var filter = TraceFilter()
        filter.connection = try connection.map { try TraceFilter.connection($0) }
        filter.layers = Set(try layer.map { try TraceFilter.layer($0) })
        let printer = TracePrinter(filter: filter, isJSON: json, console: console)
        if follow {
            guard keys == nil else {
                throw ProgramFailure.usage(
                    "--keys and --follow exclude each other",
                    advice: "--keys decrypts a capture, and --follow reads the log of a host"
                )
            }
            return try await printer.follow(path)
        }
        if let failure = ProgramFailure.directory(
            path,
            instead: "a packet log",
            suffix: ".btsnoop"
        ) {
            throw failure
        }
        guard TracePrinter.isCapture(path) else {
            guard keys == nil else { throw ProgramFailure.otherFile(path) ?? Self.keysForLog }
            return try printer.print(path)
        }
        let keys = try self.keys.map { try ExportedKey.read($0) } ?? []
        try printer.print(capture: path, keys: keys)
    }

    /// The failure for `--keys` with the packet log of a host, in which nothing is encrypted.
    private static var keysForLog: ProgramFailure {
        .usage(
            "--keys needs a capture, and this file is the log of a host",
            advice: "leave --keys out; nothing in a log is encrypted"
        )
    }
}
