// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

struct DemoCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a scripted demo on the virtual radio.",
        discussion: """
            A phone and four accessories pair, exchange messages, go out of range and reconnect. The \
            app is terminated and relaunched, an accessory loses its bond, the accessories compete \
            for too few links, and one accessory is forgotten. Checks confirm these events, and \
            every run prints the same lines, except for the elapsed time. The exit code is 0 only \
            if every check passes. On a terminal the demo runs at a readable pace; otherwise it \
            runs as fast as possible.
            """
    )

    @Flag(help: "Run as fast as possible, on a terminal too.")
    var fast = false

    @Option(
        help: ArgumentHelp(
            "Write a packet log of each controller, for lanyard trace or Wireshark.",
            valueName: "directory"
        ),
        completion: .directory
    )
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "Write a web page with the timeline of the demo.",
            valueName: "file.html"
        ),
        completion: .file(extensions: ["html"])
    )
    var timeline: String?

    func run(on console: Console) async throws {
        #if canImport(LanyardTesting)
            try await DemoRun(trace: trace, timeline: timeline, isFast: fast).run(on: console)
        #else
            throw ProgramFailure(
                .incomplete,
                "the demo needs Lanyard's own CoreBluetooth, which exists on Linux only"
            )
        #endif
    }
}
