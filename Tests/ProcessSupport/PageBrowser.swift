// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Chromium, driven by scripts in Python, for the tests of pages.
package enum PageBrowser {
    private static let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL.path

    private static let python: String = {
        let peers = ProcessInfo.processInfo.environment["LANYARD_PEERS"] ?? root + "/.peers"
        return peers + "/venv/bin/python"
    }()

    /// Whether the tests run: in continuous integration, a missing browser fails them.
    package static var isAvailable: Bool {
        ProcessInfo.processInfo.environment["CI"] == "true"
            || chromium != nil && FileManager.default.isExecutableFile(atPath: python)
    }

    /// Runs a script on a page. The script's pictures are kept only if LANYARD_PICTURES names a
    /// folder for them.
    ///
    /// - Parameters:
    ///   - script: The script in the folder Tests.
    ///   - walk: The part of the script to run.
    ///   - address: The address of the page.
    /// - Returns: The lines of the script's output, one for each step.
    package static func run(
        _ script: String,
        _ walk: String,
        at address: String
    ) async throws -> [String] {
        let pictures = ProcessInfo.processInfo.environment["LANYARD_PICTURES"]
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let process = try ChildProcess(
            python,
            [root + "/Tests/" + script, chromium ?? "chromium", address, walk, pictures ?? folder]
        )
        let (output, _) = try await process.waitUntilEnd(within: .seconds(600))
        return output.split(separator: "\n").map(String.init)
    }
}
