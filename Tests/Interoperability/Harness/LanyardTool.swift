// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The `lanyard` executable, run as a person would run it.
enum LanyardTool {
    /// What a run left behind.
    struct Result: Sendable {
        let ending: ChildProcess.Ending
        let output: String
        let errors: String

        var succeeded: Bool { ending == .exited(0) }
    }

    static let path = neighbour("lanyard")

    /// The executable of that name beside the tests' own, since all come from one build.
    static func neighbour(_ name: String) -> String {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let beside = tests.deletingLastPathComponent().appendingPathComponent(name).path
        let isThere = FileManager.default.isExecutableFile(atPath: beside)
        return isThere ? beside : PeerInstallation.packageRoot + "/.build/debug/\(name)"
    }

    /// Where the tool keeps bonds that nothing else is said of: adapters have the same names again,
    /// and must not meet each other's peers.
    private static let stateFolder = NSTemporaryDirectory() + "lanyard-state-\(UUID().uuidString)"

    /// What the tool gets from its surroundings.
    static func environment(adapter: String) -> [String: String] {
        [
            "LANYARD_ADAPTER": adapter,
            "XDG_STATE_HOME": stateFolder + "/\(UUID().uuidString)",
        ]
    }

    /// Starts the tool; the caller waits for it, stops it, or sends it signals.
    static func start(_ arguments: [String], adapter: String) throws -> ChildProcess {
        try ChildProcess(path, arguments, environment: environment(adapter: adapter))
    }

    /// Runs the tool to its end, which must come within `limit`.
    static func run(
        _ arguments: String...,
        adapter: String,
        within limit: Duration = .seconds(60)
    ) async throws -> Result {
        let process = try start(arguments, adapter: adapter)
        let (output, ending) = try await process.waitUntilEnd(within: limit)
        return Result(ending: ending, output: output, errors: process.log)
    }
}
