// SPDX-License-Identifier: Apache-2.0

// The command line: what a person at a terminal, or a script, asks of a Bluetooth Low Energy
// accessory. Each command is thin: it reads its arguments (`Commands`), runs one of the types that
// do the work (`Exploration`, `Scan`, `Trace`) on a session with an adapter (`Session`), and prints
// the outcome as text for people (`Terminal`, `Values`, `AssignedNumbers`) or as JSON for programs
// (`JSON`).
//
// Two rules hold everywhere. Whatever came over the air is a stranger's: it is escaped before it
// reaches a terminal (`TerminalText`). And whatever fails ends in one line that says what happened
// and what to do next, with an exit code that a script can act upon (`ProgramFailure`,
// `ProcessStatus`): no step waits longer than its limit, and Ctrl-C leaves no link behind.

import ArgumentParser
import Foundation

/// The `lanyard` program.
@main
struct Lanyard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lanyard",
        abstract: "Talks to Bluetooth Low Energy accessories, and is one.",
        discussion: """
            Exit codes:
            \(ProcessStatus.table)
            """,
        version: "0.1.0",
        subcommands: [
            DemoCommand.self, ScanCommand.self, ExploreCommand.self, ReadCommand.self,
            WriteCommand.self,
            SubscribeCommand.self, PairCommand.self, BondsCommand.self, ServeCommand.self,
            ChannelCommand.self, TraceCommand.self, TimelineCommand.self, AirCommand.self,
            AdaptersCommand.self, DoctorCommand.self,
        ]
    )

    /// What a target is, for the help of the commands that take one.
    static let targetHelp: ArgumentHelp = """
        An address, AA:BB:CC:DD:EE:FF, if possible with /random or /public; an advertised name; or \
        a bond's name or identifier.
        """

    /// What names a characteristic, for the help of the commands that take one.
    static let characteristicHelp: ArgumentHelp = """
        A UUID (2A19), a well-known name (battery-level), either in a service (180F/2A19), or the \
        handle of the value (#12).
        """

    /// Runs the program; what the process does first and last.
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        let console = Console.standard
        let status = await Interruption.cancelling {
            if console.isOutputTerminal { console.remark(LiveArea.showCursor) }
        } body: {
            await ProgramRun.run(arguments, on: console)
        }
        Foundation.exit(status.rawValue)
    }
}
