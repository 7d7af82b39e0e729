// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport

/// A program of this package, linked statically, for a machine without Swift.
///
/// An environment variable may name such a program. Otherwise it is linked from the products of
/// this test build, once for each build.
struct StaticProgram: Sendable {
    /// The command line, or the program that `LANYARD_STATIC` names.
    static let lanyard = StaticProgram(
        "lanyard",
        kind: "tests",
        file: "lanyard-tests",
        variable: "LANYARD_STATIC"
    )
    /// The app of the tests with the daemon, or the program that `LANYARD_STATIC_DAEMON` names, for
    /// example a release build.
    static let daemon = StaticProgram(
        "DaemonProgram",
        kind: "daemon",
        file: "daemon-program",
        variable: "LANYARD_STATIC_DAEMON"
    )

    private let found: Task<String, any Error>

    /// The path of the program.
    var path: String {
        get async throws { try await found.value }
    }

    private init(_ product: String, kind: String, file: String, variable: String? = nil) {
        found = Task {
            if let path = variable.flatMap({ ProcessInfo.processInfo.environment[$0] }) {
                return path
            }
            let compiled = LanyardTool.packageRoot + "/.build/debug/" + product
            let made = LanyardTool.packageRoot + "/.build-static/" + file
            if Self.changed(at: made) > Self.changed(at: compiled) { return made }
            let script = LanyardTool.packageRoot + "/Scripts/build-static"
            let process = try ChildProcess(script, ["--kind", kind, "--no-demo"])
            let (output, ending) = try await process.waitUntilEnd(within: Limits.boot)
            guard ending == .exited(0) else {
                throw ProcessError.ended("build-static: \(ending)", log: output + process.log)
            }
            return made
        }
    }

    /// Puts the program into a folder, under a name.
    func copy(to folder: String, as name: String) async throws {
        let (path, place) = (try await path, folder + "/" + name)
        try? FileManager.default.removeItem(atPath: place)
        do {
            try FileManager.default.linkItem(atPath: path, toPath: place)
        } catch {
            try FileManager.default.copyItem(atPath: path, toPath: place)
        }
    }

    private static func changed(at path: String) -> Date {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.modificationDate] as? Date ?? .distantPast
    }
}
