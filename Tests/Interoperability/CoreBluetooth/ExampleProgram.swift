// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// One of the programs in Examples/, run as a person would run it.
struct ExampleProgram: Sendable {
    /// How long it may take over one step, on a busy machine.
    static let limit: Duration = .seconds(60)

    enum Name: String, Sendable {
        case heartRateMonitor = "ExampleHeartRateMonitor"
        case notebookPeripheral = "ExampleNotebookPeripheral"
        case fileDrop = "ExampleFileDrop"
        case messageBox = "ExampleMessageBox"
    }

    let process: ChildProcess
    private let name: Name

    /// Starts the program, which was built beside the tests and `lanyard`.
    init(_ name: Name, _ arguments: [String] = [], adapter: String) throws {
        try self.init(name, arguments, environment: LanyardTool.environment(adapter: adapter))
    }

    /// The same in surroundings that several runs share: what one of them keeps, the next one finds.
    init(_ name: Name, _ arguments: [String] = [], environment: [String: String]) throws {
        let folder = URL(fileURLWithPath: LanyardTool.path).deletingLastPathComponent()
        self.name = name
        process = try ChildProcess(
            folder.appendingPathComponent(name.rawValue).path,
            arguments,
            environment: environment
        )
    }

    /// Reads what it prints up to a line that begins and ends so, and returns that line.
    @discardableResult
    func says(_ beginning: String = "", ending: String = "") async throws -> String {
        while let line = try await process.nextLine(within: Self.limit) {
            if line.starts(with: beginning), line.reversed().starts(with: ending.reversed()) {
                return line
            }
        }
        throw ProcessError.ended(
            "\(name.rawValue) did not say \(beginning)…\(ending)",
            log: process.log
        )
    }

    /// The rest of what it prints, and how it ends.
    func end() async throws -> (lines: [String], ending: ChildProcess.Ending) {
        let (output, ending) = try await process.waitUntilEnd(within: Self.limit)
        return (output.split(separator: "\n").map(String.init), ending)
    }
}
