// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A program in Examples/, run as a user would run it.
struct ExampleProgram: Sendable {
    /// The time limit for one step, on a busy machine.
    static let limit: Duration = .seconds(60)

    enum Name: String, Sendable {
        case heartRateMonitor = "ExampleHeartRateMonitor"
        case notebookPeripheral = "ExampleNotebookPeripheral"
        case fileDrop = "ExampleFileDrop"
        case messageBox = "ExampleMessageBox"
    }

    let process: ChildProcess
    private let name: Name

    /// Starts the program, which was built with the tests and `lanyard`.
    init(_ name: Name, _ arguments: [String] = [], adapter: String) throws {
        try self.init(name, arguments, environment: LanyardTool.environment(adapter: adapter))
    }

    /// Starts the program in an environment that several runs share: a run finds the stored state
    /// of an earlier run.
    init(_ name: Name, _ arguments: [String] = [], environment: [String: String]) throws {
        let folder = URL(fileURLWithPath: LanyardTool.path).deletingLastPathComponent()
        self.name = name
        process = try ChildProcess(
            folder.appendingPathComponent(name.rawValue).path,
            arguments,
            environment: environment
        )
    }

    /// Reads the program's output up to a line with this prefix and this suffix, and returns that
    /// line.
    @discardableResult
    func awaitOutput(_ beginning: String = "", ending: String = "") async throws -> String {
        while let line = try await process.nextLine(within: Self.limit) {
            if line.starts(with: beginning), line.reversed().starts(with: ending.reversed()) {
                return line
            }
        }
        throw ProcessError.ended(
            "\(name.rawValue) did not print \(beginning)…\(ending)",
            log: process.log
        )
    }

    /// Waits until the program ends. Returns the rest of its output, and its exit status.
    func end() async throws -> (lines: [String], ending: ChildProcess.Ending) {
        let (output, ending) = try await process.waitUntilEnd(within: Self.limit)
        return (output.split(separator: "\n").map(String.init), ending)
    }
}
