// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HCITransports

struct TraceCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Prints what a btsnoop file holds, one PDU a line.",
        discussion: """
            Each line has the seconds since the first packet, > for what the host sent and < for \
            what it received, the connection handle, the layer and the PDU. Reads what --trace \
            writes, and what other tools write with H4 packets.
            """
    )

    @Argument(help: ArgumentHelp("A btsnoop file.", valueName: "file")) var path: String

    @Option(
        help: ArgumentHelp("Only this connection, decimal or 0x….", valueName: "handle")
    )
    var connection: String?

    @Option(help: ArgumentHelp("Only this layer; may be repeated.", valueName: "hci|l2cap|att|smp"))
    var layer: [String] = []

    @Flag(help: "Print a JSON object a line.")
    var json = false

    func run(on console: Console) async throws {
        var filter = TraceFilter()
        filter.connection = try connection.map { try TraceFilter.connection($0) }
        filter.layers = Set(try layer.map { try TraceFilter.layer($0) })
        try TracePrinter(filter: filter, isJSON: json, console: console).print(path)
    }
}
