// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Testing

/// A GATT client of Bumble on the virtual radio (Tests/Interoperability/Peers/client.py). It ends
/// when its standard input ends.
struct BumbleClient: Sendable {
    private let process: ChildProcess

    /// Starts the client, and waits until its controller is on.
    init(in fixture: KernelFixture) async throws {
        let adapter = try await fixture.kernelAir.openEndpoint("client")
        let arguments = ["--adapter", adapter.description]
        process = try BumbleAccessory.start("client.py", arguments)
        let line = try await process.nextLine(within: Limits.step)
        try #require(line?.hasPrefix("ready ") == true, "\(process.log)")
    }

    /// Performs a command, and returns its answer: a member `done`, `refused` or `failed`.
    func answer(
        _ command: String,
        _ arguments: [String: JSON] = [:]
    ) async throws -> JSON {
        let object = JSON.object(arguments.merging(["do": .string(command)]) { $1 })
        process.write(line: try object.line)
        let line = try #require(try await process.nextLine(within: Limits.discovery))
        return try JSON(parsing: line)
    }

    /// Performs a command, and returns its result.
    @discardableResult
    func perform(_ command: String, _ arguments: [String: JSON] = [:]) async throws -> JSON {
        let answer = try await answer(command, arguments)
        try #require(answer.members["done"] != nil, "\(command): \(answer), \(process.log)")
        return answer["done"]
    }

    /// Returns the handle of the only value with a UUID.
    func handle(of uuid: String) async throws -> JSON {
        let handles = try await perform("handles", ["uuid": .string(uuid)]).elements
        try #require(handles.count == 1, "\(handles)")
        return handles[0]
    }

    func end() async throws {
        process.closeInput()
        _ = try await process.waitUntilEnd(within: Limits.step)
    }
}
