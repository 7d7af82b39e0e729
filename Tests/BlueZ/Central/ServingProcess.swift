// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import ProcessTestSupport
import Testing

/// `lanyard serve` as another program runs it: commands go to its input and events come from its
/// output, one line each.
struct ServingProcess: Sendable {
    let process: ChildProcess

    /// Starts the process with a database, and waits until it advertises.
    init(
        _ database: String,
        on adapter: AdapterSpecification,
        in folder: String,
        options: [String]
    ) async throws {
        let path = "\(folder)/\(UUID().uuidString).json"
        try Data(database.utf8).write(to: URL(fileURLWithPath: path))
        let arguments = ["serve", path, "--json", "--until-end-of-input"]
        process = try LanyardTool.start(arguments + options, adapter: adapter.description)
        _ = try await event("ready")
    }

    /// Returns the next event with this name. Other events before it are dropped.
    func event(
        _ name: String,
        where choose: (JSON) -> Bool = { _ in true }
    ) async throws -> JSON {
        while let line = try await process.nextLine(within: Limits.step) {
            let event = try JSON(parsing: line)
            if event["event"].text == name, choose(event) { return event }
        }
        throw ProcessError.ended("the event '\(name)' did not arrive", log: process.log)
    }

    func send(_ line: String) { process.write(line: line) }

    /// Ends the process by closing its input, as the program that started it would.
    func end() async throws {
        process.closeInput()
        let (_, ending) = try await process.waitUntilEnd(within: Limits.step)
        #expect(ending == .exited(0), "\(process.log)")
    }
}

/// Gives `body` a temporary folder.
func withFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let folder = NSTemporaryDirectory() + "server-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}
