// SPDX-License-Identifier: Apache-2.0

// The command line, for people at a terminal and for scripts. Each command is thin. It reads its
// arguments (`Commands`) and runs one of the types that do the work (`Exploration`, `Scan`,
// `Trace`) on a session with an adapter (`Session`). It prints the result as text for people
// (`Terminal`, `Values`, `AssignedNumbers`) or as JSON for programs (the module `JSONText`).
//
// Two rules hold everywhere. Text from another device is escaped before it reaches a terminal
// (`TerminalText`). A failure ends in one line with the event and the advice, and with an exit code
// for scripts (`ProgramFailure`, `ProcessStatus`). Steps have time limits, and Ctrl-C disconnects
// all links.

import ArgumentParser
import Foundation

/// The `lanyard` program.
@main
struct LanyardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lanyard",
        abstract: "Scan, connect to, serve and simulate Bluetooth Low Energy devices.",
        discussion: """
            Exit codes:
            \(ProcessStatus.table)
            """,
        version: "0.2.0",
        subcommands: [
            DemoCommand.self, ScanCommand.self, ExploreCommand.self, ReadCommand.self,
            WriteCommand.self,
            SubscribeCommand.self, LiveCommand.self, ShellCommand.self, RunCommand.self,
            PairCommand.self,
            BondsCommand.self, ServeCommand.self,
            ChannelCommand.self, TraceCommand.self, ExtcapCommand.self, TimelineCommand.self,
            AirCommand.self,
            AdaptersCommand.self, RadiosCommand.self, DoctorCommand.self,
        ]
    )

    /// The help on targets, for the commands that take one.
    static let targetHelp: ArgumentHelp = """
        An address (AA:BB:CC:DD:EE:FF, with /random or /public if you know the type), an \
        advertised name or its beginning, in upper or lower case, or the name or identifier of a \
        bond.
        """

    /// The help on characteristics, for the commands that take one.
    static let characteristicHelp: ArgumentHelp = """
        A UUID (2A19), a well-known name (battery-level), either of them with its service \
        (180F/2A19), or a value handle (#12).
        """

    /// Runs the program, with the set-up and the exit of the process.
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        let console = Console.standard
        let status = await Interruption.canceling {
            if TerminalMode.end() {
                console.remark(FullScreen.end)
            } else if console.isOutputTerminal {
                console.remark(LiveArea.showCursor)
            }
        } body: {
            await ProgramRun.run(arguments, on: console)
        }
        Foundation.exit(status.rawValue)
    }
}
