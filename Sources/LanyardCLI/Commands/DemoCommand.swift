// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

struct DemoCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Tells what Lanyard is for, without any hardware.",
        discussion: """
            A phone and four accessories on Lanyard's own virtual radio: they pair, exchange messages, \
            walk away and come back; the application is ended and begun again; an accessory loses its \
            keys; there are more of them than links; one is forgotten. Everything that is shown is \
            checked as well, and is the same in every run; the status is 0 only if all of it is as it \
            should be. Time is virtual: on a terminal as slow as one can follow, elsewhere as fast as it \
            goes.
            """
    )

    @Flag(help: "Do not wait for people.")
    var fast = false

    @Option(
        help: ArgumentHelp(
            "Leave a packet log of each controller, for lanyard trace or Wireshark.",
            valueName: "directory"
        )
    )
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "Leave a page that shows all of it on one time line, for a browser.",
            valueName: "file.html"
        )
    )
    var timeline: String?

    @Flag(help: "Show the host beneath instead: two of them, step by step.")
    var hosts = false

    @Flag(help: "Print the database file of the accessory of --hosts, and nothing else.")
    var database = false

    func validate() throws {
        guard (hosts || database) && (trace != nil || timeline != nil) else { return }
        throw ValidationError("--trace and --timeline are for the story; leave out --hosts")
    }

    func run(on console: Console) async throws {
        if database { return try console.print(DemoDatabase.text) }
        if hosts { return try await Demonstration.run(on: console) }
        #if canImport(LanyardTesting)
            try await DemoRun(trace: trace, timeline: timeline, isFast: fast).run(on: console)
        #else
            try console.print(
                "The story needs a Bluetooth of Lanyard's own, which is on Linux. This is the host:"
            )
            try await Demonstration.run(on: console)
        #endif
    }
}
