// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Testing

/// Our static program inside the machine, on real user channels of a real kernel, as it is run on a
/// Raspberry Pi: by a user who is not root. The file has the one capability that it takes, and nothing else.
struct InsideProgram: Sendable {
    /// What came of a run.
    struct Run: Sendable {
        let status: Int
        let output: String
        /// What it said on standard error.
        let remarks: String

        /// What it printed, as JSON.
        var json: JSON {
            get throws { try JSON(parsing: output) }
        }
    }

    /// A program needs a moment before its first line: the machine's processors are emulated, and it is
    /// compiled for debugging.
    static let limit = Limits.step * 2

    private static let folder = "/run/lanyard"
    private static let file = folder + "/lanyard"

    let bluez: BlueZ

    /// Brings the program into the machine, unless it is there already, and gives its file the capability.
    init(in bluez: BlueZ) async throws {
        self.bluez = bluez
        if try await !Self.isThere(in: bluez) {
            try Self.share(try await StaticProgram.path, in: bluez.machine.sharedFolder)
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

    private static func share(_ path: String, in folder: String) throws {
        let place = folder + "/lanyard"
        try? FileManager.default.removeItem(atPath: place)
        do {
            try FileManager.default.linkItem(atPath: path, toPath: place)
        } catch {
            try FileManager.default.copyItem(atPath: path, toPath: place)
        }
    }

    /// Gives the file the capability to take adapters, or takes it away.
    func setCapability(_ isGiven: Bool) async throws {
        let line =
            isGiven ? "setcap cap_net_admin+ep \(Self.file)" : "setcap -r \(Self.file)"
        try await bluez.shell(line)
    }

    /// Takes the capability from the file, and makes an empty folder for what a service keeps.
    func beService() async throws {
        try await setCapability(false)
        try await bluez.shell(
            "rm -rf \(stateFolder) && mkdir \(stateFolder) && chown nobody \(stateFolder)"
        )
    }

    // MARK: Running

    /// Writes a file that the program can read; its path.
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(
            to: URL(fileURLWithPath: "\(bluez.machine.sharedFolder)/\(name)")
        )
        return "/share/\(name)"
    }

    /// Who runs it.
    enum User {
        case nobody, root
        /// Nobody, whose process has the capability from the start, as systemd gives it to a service, and
        /// who has a folder for what is kept: see `beService()`.
        case service

        /// A line of shell that runs another as that user.
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

    /// Runs it to its end.
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

    /// Runs it to its end, and expects that it does its job.
    func succeed(_ arguments: [String], as user: User = .nobody) async throws -> Run {
        let run = try await run(arguments, as: user)
        try #require(run.status == 0, "lanyard \(arguments): \(run)")
        return run
    }

    /// Starts it; see `line(of:)` and `interrupt(_:)`.
    func start(_ arguments: [String], as name: String, by user: User = .nobody) async throws {
        // Its output of both kinds comes as events; it is `lanyard` that is ended, not a shell around it.
        try await bluez.spawn("exec " + Self.line(arguments, by: user), as: name)
    }

    /// Waits for a line of what was started, which starts so.
    @discardableResult
    func line(of name: String, after prefix: String) async throws -> String {
        // What is typed in answer to a question ends no line of the output.
        try await bluez.output(of: name, within: Self.limit) {
            $0.hasPrefix(prefix) || $0.contains("[y/N] " + prefix)
        }
    }

    /// Interrupts what was started, as Ctrl-C does, and waits for its end; how it ended.
    @discardableResult
    func interrupt(_ name: String) async throws -> Int {
        try await bluez.end(name, by: SIGINT)
        return try await end(of: name)
    }

    /// Waits for the end of what was started; how it ended.
    private func end(of name: String) async throws -> Int {
        let event = try await bluez.event("ended", within: Self.limit) { $0["name"].text == name }
        return event["status"].integer ?? -1
    }

    /// A line of shell that becomes the program.
    private static func line(_ arguments: [String], by user: User = .nobody) -> String {
        user.line(of: "exec " + ([file] + arguments).map(quoted).joined(separator: " "))
    }
}

/// Where a service keeps its bonds.
private let stateFolder = "/run/lanyard-state"

private func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: #"'\''"#) + "'"
}
