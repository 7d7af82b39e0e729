// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An address that was opened in the person's browser.
///
/// Other users can read the arguments of a process, and the address is a secret. The browser
/// therefore gets the name of a private file, which redirects to the address.
struct BrowserLauncher: Sendable {
    /// The private file.
    private let path: String

    /// Opens the address; `nil` if there is no program to open it, or if the private file cannot be
    /// written. The address is also printed, so a failure to start the browser is ignored.
    static func open(_ address: String) -> BrowserLauncher? {
        let environment = ProcessInfo.processInfo.environment
        guard let program = program(environment) else { return nil }
        let folder = environment["XDG_RUNTIME_DIR"] ?? NSTemporaryDirectory()
        let path = folder + "/lanyard-live-\(UUID().uuidString).html"
        let page = """
            <!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" \
            content="0;url=\(address)"><title>lanyard live</title>
            """
        guard let file = try? SecretFile(path, of: "the address"),
            (try? file.replace(with: page)) != nil
        else { return nil }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
        return BrowserLauncher(path: path)
    }

    /// Removes the file.
    func end() {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns the path of the program that opens files: `open` on macOS, or `xdg-open` on a Linux
    /// desktop; `nil` if there is none.
    private static func program(_ environment: [String: String]) -> String? {
        let files = FileManager.default
        if files.fileExists(atPath: "/System/Library/CoreServices") { return "/usr/bin/open" }
        let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0] != nil }
        let program = "/usr/bin/xdg-open"
        return hasDesktop && files.isExecutableFile(atPath: program) ? program : nil
    }
}
