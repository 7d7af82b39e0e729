// SPDX-License-Identifier: Apache-2.0

import BusTestSupport
import DBus
import ProcessTestSupport

@testable import LanyardCLI

/// The program on the system's Bluetooth daemon, which the test simulates.
enum DaemonRun {
    static let limit = Duration.seconds(60)

    /// Starts the program on the bus of a daemon.
    static func start(_ arguments: [String], on daemon: FakeDaemon) throws -> ChildProcess {
        let environment = environment(on: daemon)
        return try ChildProcess(LanyardTool.path, arguments, environment: environment)
    }

    static func environment(on daemon: FakeDaemon) -> [String: String] {
        var environment = LanyardTool.environment(adapter: "bluez")
        environment[DBusAddress.systemVariable] = "unix:path=\(daemon.bus.path)"
        return environment
    }

    /// Runs the program to its end.
    ///
    /// - Parameter input: The lines on standard input; `nil` for none.
    static func run(
        _ arguments: [String],
        input: String? = nil,
        on daemon: FakeDaemon
    ) async throws -> (output: String, log: String, status: ProcessStatus?) {
        let process = try start(arguments, on: daemon)
        if let input {
            for line in input.split(separator: "\n") { process.write(line: String(line)) }
            process.closeInput()
        }
        let (output, ending) = try await process.waitUntilEnd(within: limit)
        guard case .exited(let code) = ending else { return (output, process.log, nil) }
        return (output, process.log, ProcessStatus(rawValue: code))
    }

    /// Runs `body`, and stops the daemon's bus.
    static func with(
        _ daemon: FakeDaemon,
        _ body: (FakeDaemon) async throws -> Void
    ) async throws {
        do {
            try await body(daemon)
        } catch {
            daemon.bus.stop()
            throw error
        }
        daemon.bus.stop()
    }
}
