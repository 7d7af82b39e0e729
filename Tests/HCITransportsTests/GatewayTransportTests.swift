// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Testing

@testable import HCITransports

/// The transport with programs in place of `lanyard-gateway`.
@Suite("The transport to a gateway")
struct GatewayTransportTests {
    /// Runs `body` with the transport on a program that a shell script defines.
    private func withProgram(
        _ script: String,
        _ body: (GatewayTransport, AdapterExecutor) async throws -> Void
    ) async throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try writeProgram(script, to: path)
        let program = GatewayProgram(path: path)
        let transport = GatewayTransport(host: "::1", port: 6403, program: program)
        try await withExecutor { try await body(transport, $0) }
    }

    @Test("Packets pass in both directions after the program reports the grant")
    func bothWays() async throws {
        // The arguments arrive as the first bytes, and then the program returns what it gets.
        try await withProgram(#"echo granted; printf '%s' "$*"; exec cat"#) { transport, executor in
            #expect(transport.name == "gateway:[::1]:6403")
            let log = Recorder()
            try await transport.open(on: executor, receive: log.receive)
            #expect(
                await log.wait { $0.bytes.count >= 18 }.bytes == Array("connect [::1]:6403".utf8)
            )
            await executor.run { transport.send([[1, 2], [3]]) }
            #expect(await log.wait { $0.bytes.count >= 21 }.bytes.suffix(3) == [1, 2, 3])
            await executor.run { transport.close() }
            #expect(await log.waitForClosing().closings == [nil])
        }
    }

    @Test("A transport can be opened again after the program has ended")
    func again() async throws {
        try await withProgram("echo granted") { transport, executor in
            for _ in 0..<2 {
                let log = Recorder()
                try await transport.open(on: executor, receive: log.receive)
                #expect(await log.waitForClosing().closings == [.closedByPeer(transport.name)])
            }
        }
    }

    @Test("The reason for a refusal is the error")
    func refused() async throws {
        try await withProgram("echo 'failed hall has another owner'") { transport, executor in
            let log = Recorder()
            await #expect(
                throws: TransportError.gateway(transport.name, reason: "hall has another owner")
            ) {
                try await transport.open(on: executor, receive: log.receive)
            }
            #expect(log.log.bytes.isEmpty && log.log.closings.isEmpty)
        }
    }

    @Test(
        "Opening fails if the program is not a gateway or ends at once",
        arguments: [
            "echo hello", "head -c 5000 /dev/zero; exec cat >/dev/null", "exit 1", "printf gran",
        ]
    )
    func others(script: String) async throws {
        try await withProgram(script) { transport, executor in
            let log = Recorder()
            await #expect(throws: TransportError.self) {
                try await transport.open(on: executor, receive: log.receive)
            }
            #expect(log.log.bytes.isEmpty && log.log.closings.isEmpty)
        }
    }

    @Test("The error for a missing program contains the remedy")
    func missing() async throws {
        let program = GatewayProgram(path: "/nonexistent/lanyard-gateway")
        let transport = GatewayTransport(host: "hall", port: 1, program: program)
        await withExecutor { executor in
            let error = await #expect(throws: TransportError.self) {
                try await transport.open(on: executor) { _ in }
            }
            #expect(error?.description.contains("set LANYARD_GATEWAY") == true)
        }
    }

    @Test("A canceled attempt is an error, and nothing is delivered")
    func canceled() async throws {
        try await withProgram("exec cat") { transport, executor in
            let log = Recorder()
            let task = Task { try await transport.open(on: executor, receive: log.receive) }
            task.cancel()
            await #expect(throws: TransportError.cancelled) { try await task.value }
            #expect(log.log.bytes.isEmpty && log.log.closings.isEmpty)
        }
    }
}
