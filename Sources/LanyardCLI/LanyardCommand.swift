// SPDX-License-Identifier: Apache-2.0

// The command line, for people at a terminal and for scripts. The commands (`Commands`) read their
// arguments and print results as text or as JSON. The work is in the types of the other folders.
// Most commands use an adapter through `AdapterSession`.
//
// Text from another device is escaped before it reaches a terminal (`TerminalText`). The failure of
// a command is one line (`ProgramFailure`) and an exit code for scripts (`ProcessStatus`).

import ArgumentParser
import Foundation
import HCITransports

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

    /// Runs the program and exits the process. Ctrl-C cancels the command.
    static func main() async {
        ClosedStreams.replace()
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
