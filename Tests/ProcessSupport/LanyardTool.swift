// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The `lanyard` executable as a user runs it.
package enum LanyardTool {
    /// The result of a run.
    package struct Result: Sendable {
        package let ending: ChildProcess.Ending
        package let output: String
        package let errors: String

        package init(ending: ChildProcess.Ending, output: String, errors: String) {
            self.ending = ending
            self.output = output
            self.errors = errors
        }

        package var succeeded: Bool { ending == .exited(0) }
    }

    /// The package's own folder.
    package static let packageRoot: String = {
        let levels = 3  // LanyardTool.swift, ProcessSupport, Tests
        return (0..<levels).reduce(#filePath) { path, _ in
            String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        }
    }()

    package static let path = neighbor("lanyard")

    /// Returns the executable with this name from the folder of the test executable, or from
    /// `.build/debug` if it is not there.
    package static func neighbor(_ name: String) -> String {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let beside = tests.deletingLastPathComponent().appendingPathComponent(name).path
        let isThere = FileManager.default.isExecutableFile(atPath: beside)
        return isThere ? beside : packageRoot + "/.build/debug/\(name)"
    }

    /// The folder that contains the state of all runs of the tool. The folder is removed when the
    /// tests end.
    private static let stateFolder: String = {
        atexit { try? FileManager.default.removeItem(atPath: LanyardTool.stateFolder) }
        return NSTemporaryDirectory() + "lanyard-state-\(UUID().uuidString)"
    }()

    /// Returns the tool's environment variables, with a new folder for the bonds: adapters of
    /// different tests have the same names and must not share bonds.
    package static func environment(adapter: String) -> [String: String] {
        [
            "LANYARD_ADAPTER": adapter,
            "XDG_STATE_HOME": stateFolder + "/\(UUID().uuidString)",
        ]
    }

    /// Starts the tool.
    package static func start(_ arguments: [String], adapter: String) throws -> ChildProcess {
        try ChildProcess(path, arguments, environment: environment(adapter: adapter))
    }

    /// Runs the tool to its end, which must come within `limit`.
    package static func run(
        _ arguments: String...,
        adapter: String,
        within limit: Duration = .seconds(60)
    ) async throws -> Result {
        let process = try start(arguments, adapter: adapter)
        let (output, ending) = try await process.waitUntilEnd(within: limit)
        return Result(ending: ending, output: output, errors: process.log)
    }
}
