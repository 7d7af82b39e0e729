// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct DemoCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows an accessory and its Central at work, without any hardware.",
        discussion: """
            Both run on Lanyard's own virtual radio, in virtual time: as fast as it goes, and the \
            same in every run. Everything that is shown is checked as well; the status is 0 only if \
            all of it is as it should be.
            """
    )

    @Flag(help: "Print the accessory's database file, and nothing else.")
    var database = false

    func run(on console: Console) async throws {
        if database { return try console.print(DemoDatabase.text) }
        let report = DemoReport(console: console)
        try report.say(
            """
            An accessory and its Central, two metres apart on a virtual radio. What the accessory \
            sees stands behind a bar.
            """
        )
        let start = ContinuousClock.now
        let virtual: Duration
        do {
            virtual = try await Demonstration(report: report).run()
        } catch {
            throw ProgramFailure(error, during: "the demonstration")
        }
        try report.say(
            """

            All of it worked: \(report.checks) things checked, \
            \(SecondsText.describe(virtual.inMilliseconds)) of virtual time in \
            \(SecondsText.describe((ContinuousClock.now - start).inMilliseconds)).
            """
        )
    }
}

extension Duration {
    /// The same without what is less than a millisecond.
    fileprivate var inMilliseconds: Duration { .milliseconds(Int64(inSeconds * 1_000)) }
}
