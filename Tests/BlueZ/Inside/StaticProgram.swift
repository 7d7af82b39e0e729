// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport

/// `lanyard`, linked statically, for a machine without Swift.
///
/// `LANYARD_STATIC` may name such a program. Otherwise it is linked from the products of this test
/// build, once for each build.
enum StaticProgram {
    /// The path of the program.
    static var path: String {
        get async throws { try await found.value }
    }

    private static let found = Task {
        if let path = ProcessInfo.processInfo.environment["LANYARD_STATIC"] { return path }
        let compiled = LanyardTool.packageRoot + "/.build/debug/lanyard"
        if changed(at: made) > changed(at: compiled) { return made }
        let script = LanyardTool.packageRoot + "/Scripts/build-static"
        let process = try ChildProcess(script, ["--kind", "tests", "--no-demo"])
        let (output, ending) = try await process.waitUntilEnd(within: Limits.boot)
        guard ending == .exited(0) else {
            throw ProcessError.ended("build-static: \(ending)", log: output + process.log)
        }
        return made
    }

    private static let made = LanyardTool.packageRoot + "/.build-static/lanyard-tests"

    private static func changed(at path: String) -> Date {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.modificationDate] as? Date ?? .distantPast
    }
}
