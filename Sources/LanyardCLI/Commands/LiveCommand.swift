// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

struct LiveCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Show devices, values, packets and the virtual world in a browser.",
        discussion: """
            Serves one page to this machine alone, at an address that contains a secret, and opens it \
            in the browser. The page lists the devices with their signal, connects to them, reads, \
            writes and subscribes, draws numbers as charts, and follows the packets on a timeline. \
            With --adapter virtual, you can move accessories on a map. Ctrl-C ends it. docs/LIVE.md is \
            the guide.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The port of the page. The default is one that the system chooses.",
            valueName: "port"
        )
    )
    var port: UInt16 = 0

    @Flag(help: "Print the address and do not open a browser.")
    var noBrowser = false

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let (remarks, feed) = AsyncStream.makeStream(
            of: String.self,
            bufferingPolicy: .bufferingNewest(Self.remarkLimit)
        )
        var relay = console
        relay.write = { _ in }
        relay.remark = { text in
            console.remark(text)
            feed.yield(text)
        }
        let session = LiveSession(
            setup: try ShellSetup(options, on: relay, worksOnDaemon: false),
            console: console,
            port: port,
            isJSON: options.json,
            remarks: remarks,
            opensBrowser: !noBrowser
        )
        try await session.run()
    }

    /// The maximum number of remarks that wait for the page. Older ones are dropped.
    private static let remarkLimit = 64
}
