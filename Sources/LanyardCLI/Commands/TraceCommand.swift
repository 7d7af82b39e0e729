// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HCITransports

struct TraceCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Prints what a log or a capture holds, one PDU a line.",
        discussion: """
            Each line has the seconds since the first packet, > for what the host sent and < for \
            what it received, the connection handle, the layer and the PDU. Reads what --trace \
            writes, and what other tools write with H4 packets.

            Reads pcap files of Bluetooth LE sniffers as well (link types 251 and 256): > is then \
            what the Central sent. With the keys that --export-keys wrote, encrypted links are \
            decrypted, if the capture has their beginning.
            """
    )

    @Argument(help: ArgumentHelp("A btsnoop file, or a pcap file.", valueName: "file")) var path:
        String

    @Option(
        help: ArgumentHelp("Only this connection, decimal or 0x….", valueName: "handle")
    )
    var connection: String?

    @Option(
        help: ArgumentHelp("Only this layer; may be repeated.", valueName: "hci|ll|l2cap|att|smp")
    )
    var layer: [String] = []

    @Option(
        help: ArgumentHelp("The keys of a capture, as --export-keys wrote them.", valueName: "file")
    )
    var keys: String?

    @Flag(help: "Print a JSON object a line.")
    var json = false

    func run(on console: Console) async throws {
        var filter = TraceFilter()
        filter.connection = try connection.map { try TraceFilter.connection($0) }
        filter.layers = Set(try layer.map { try TraceFilter.layer($0) })
        guard CapturePrinter.isCapture(path) else {
            guard keys == nil else { throw Self.keysForLog }
            return try TracePrinter(filter: filter, isJSON: json, console: console).print(path)
        }
        let keys = try self.keys.map { try ExportedKey.read($0) } ?? []
        try CapturePrinter(filter: filter, isJSON: json, keys: keys, console: console).print(path)
    }

    /// What a host logs was never encrypted.
    private static var keysForLog: ProgramFailure {
        .usage(
            "--keys is for captures, and this is the log of a host",
            advice: "leave --keys out; nothing in a log is encrypted"
        )
    }
}
