// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Testing

/// Our static program inside the machine, on user channels of a real kernel, run as on a Raspberry
/// Pi by a user without root. The file has only the capability that user channels require.
struct InsideProgram: Sendable {
    /// The result of a run.
    struct Run: Sendable {
        let status: Int
        let output: String
        /// The text on standard error.
        let remarks: String

        /// The text on standard output, parsed as JSON.
        var json: JSON {
            get throws { try JSON(parsing: output) }
        }
    }

    /// The time limit of a step. The program needs some time before its first line: the machine's
    /// processors are emulated, and the program is a debug build.
    static let limit = Limits.step * 2

    private static let folder = "/run/lanyard"
    private static let file = folder + "/lanyard"

    let bluez: BlueZ

    /// Copies the program into the machine, unless it is there already, and grants its file the
    /// capability.
    init(in bluez: BlueZ) async throws {
        self.bluez = bluez
        if try await !Self.isThere(in: bluez) {
            try await StaticProgram.lanyard.copy(to: bluez.machine.sharedFolder, as: "lanyard")
            let line = """
                mkdir -p \(Self.folder) && cp /share/lanyard \(Self.file) \
                && chmod 755 \(Self.folder) \(Self.file)
                """
            try await bluez.shell(line, within: Self.limit)
        }
        try await setCapability(true)
    }

    private static func isThere(in bluez: BlueZ) async throws -> Bool {
        try await bluez.shell("test -e \(file) && echo yes || echo no").hasPrefix("yes")
    }

    /// Grants the file the capability to take adapters, or removes it.
    func setCapability(_ isGiven: Bool) async throws {
        let line =
            isGiven ? "setcap cap_net_admin+ep \(Self.file)" : "setcap -r \(Self.file)"
        try await bluez.shell(line)
    }

    /// Removes the capability from the file, and creates an empty state folder for a service.
    func beService() async throws {
        try await setCapability(false)
        try await bluez.shell(
            "rm -rf \(stateFolder) && mkdir \(stateFolder) && chown nobody \(stateFolder)"
        )
    }

    // MARK: Running

    /// Writes a file that the program can read. Returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(
            to: URL(fileURLWithPath: "\(bluez.machine.sharedFolder)/\(name)")
        )
        return "/share/\(name)"
    }

    /// The user that runs the program.
    enum User {
        case nobody, root
        /// The Unix account `nobody`, with the capability on the process, as systemd grants it to a
        /// service, and with a state folder; see `beService()`.
        case service

        /// Returns a shell command that runs another command as this user.
        fileprivate func line(of inner: String) -> String {
            let words =
                switch self {
                case .nobody: "su -s /bin/sh nobody -c"
                case .root: "su -s /bin/sh root -c"
                case .service:
                    "env XDG_STATE_HOME=\(stateFolder) capsh --keep=1 --user=nobody --inh=cap_net_admin --addamb=cap_net_admin"
                        + " --shell=/bin/sh -- -c"
                }
            return "\(words) \(quoted(inner))"
        }
    }

    /// Runs the program to its end.
    func run(_ arguments: [String], as user: User = .nobody) async throws -> Run {
        let errors = "/tmp/lanyard-errors"
        let line = Self.line(arguments, by: user) + " 2>\(errors) </dev/null"
        let seconds = JSON.number(Double(Self.limit.components.seconds))
        let result = try await bluez.call(
            "shell",
            ["line": .string(line), "seconds": seconds],
            within: Self.limit * 2
        )
        return Run(
            status: result["status"].integer ?? -1,
            output: result["output"].text ?? "",
            remarks: try await bluez.shell("cat \(errors)")
        )
    }

    /// Runs the program to its end, and expects that it succeeds.
    func succeed(_ arguments: [String], as user: User = .nobody) async throws -> Run {
        let run = try await run(arguments, as: user)
        try #require(run.status == 0, "lanyard \(arguments): \(run)")
        return run
    }

    /// Starts the program; see `line(of:after:)` and `interrupt(_:)`.
    func start(_ arguments: [String], as name: String, by user: User = .nobody) async throws {
        // Its standard output and standard error arrive as events. `exec` makes the signal reach
        // `lanyard` and not a shell around it.
        try await bluez.spawn("exec " + Self.line(arguments, by: user), as: name)
    }

    /// Waits for a line of the running program that has this prefix.
    @discardableResult
    func line(of name: String, after prefix: String) async throws -> String {
        // The answer to a question is not echoed, so the next output continues the question's line.
        try await bluez.output(of: name, within: Self.limit) {
            $0.hasPrefix(prefix) || $0.contains("[y/N] " + prefix)
        }
    }

    /// Interrupts the running program, as Ctrl-C does, and waits for its end. Returns its exit
    /// status.
    @discardableResult
    func interrupt(_ name: String) async throws -> Int {
        try await bluez.end(name, by: SIGINT)
        return try await end(of: name)
    }

    /// Waits for the end of the running program. Returns its exit status.
    func end(of name: String) async throws -> Int {
        let event = try await bluez.event("ended", within: Self.limit) { $0["name"].text == name }
        return event["status"].integer ?? -1
    }

    /// Returns a shell command that becomes the program.
    private static func line(_ arguments: [String], by user: User = .nobody) -> String {
        // For commands without the option --timeout.
        let limit = "LANYARD_TIMEOUT=\(limit.components.seconds)"
        return user.line(
            of: "exec env \(limit) " + ([file] + arguments).map(quoted).joined(separator: " ")
        )
    }
}

/// The folder in which a service stores its bonds.
private let stateFolder = "/run/lanyard-state"

private func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: #"'\''"#) + "'"
}
