// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayProtocol
import HCITransports
import Synchronization
import Testing

@testable import LanyardGateway

/// A gateway as a process, with a controller that answers resets, and hosts as processes.
final class ProgramHarness: Sendable {
    let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
    private let executor = AdapterExecutor()
    private let server = TCPServer(host: "127.0.0.1", port: 0)
    private let controllerPort: UInt16
    private let programs = Mutex<[Program]>([])

    private init() async throws {
        controllerPort = try await server.start(on: executor) { [executor] transport in
            Task {
                try? await transport.open(on: executor) { event in
                    guard case .received(let bytes) = event, Array(bytes) == GatewayCore.reset
                    else { return }
                    transport.send([[0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]])
                }
            }
        }
    }

    /// Runs `body` with the harness, and ends all processes.
    static func run(_ body: (ProgramHarness) async throws -> Void) async throws {
        let harness = try await ProgramHarness()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(harness))
        } catch {
            result = .failure(error)
        }
        for program in harness.programs.withLock({ $0 }) { program.kill() }
        await harness.server.stop()
        harness.executor.shutDown()
        try? FileManager.default.removeItem(atPath: harness.folder)
        try result.get()
    }

    /// Starts the program with the folder of a gateway or a host.
    func start(
        _ arguments: String...,
        as side: String,
        errors: Program.Errors = .read
    ) throws -> Program {
        let program = try Program(arguments + ["--state", "\(folder)/\(side)"], errors: errors)
        programs.withLock { $0.append(program) }
        return program
    }

    /// Starts the gateway. Returns its process and its port.
    func serve(
        as side: String = "gateway",
        port: Int = 0,
        errors: Program.Errors = .read
    ) async throws -> (Program, port: Int) {
        let gateway = try start(
            "serve",
            "--name",
            "hall",
            "--adapter",
            "tcp:127.0.0.1:\(controllerPort)",
            "--listen",
            "127.0.0.1:\(port)",
            as: side,
            errors: errors
        )
        try await gateway.output.wait(for: "ready: ")
        let address = gateway.output.all.first?.split(separator: ":").last ?? ""
        return (gateway, try #require(Int(address)))
    }

    func code() async throws -> String {
        let program = try start("code", as: "gateway")
        try await program.output.wait(for: "-")
        return try #require(program.output.all.first)
    }

    /// Enrolls a host at the port.
    func enroll(_ host: String = "pc", at port: Int) async throws {
        let enrollment = try start(
            "enroll",
            "127.0.0.1:\(port)",
            try await code(),
            "--name",
            host,
            as: host
        )
        try await enrollment.log.wait(for: "enrolled with hall")
    }

    /// Starts the connection of a host to the port.
    func connect(_ host: String = "pc", to port: Int) throws -> Program {
        try start("connect", "127.0.0.1:\(port)", as: host)
    }
}

/// A process of `lanyard-gateway`, with its lines.
final class Program: Sendable {
    /// The state of standard error.
    enum Errors {
        case read, unread, closed
    }

    /// The program beside the tests.
    private static let path =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("lanyard-gateway")

    /// The lines on standard output.
    let output = Lines()
    /// The lines on standard error.
    let log = Lines()
    private let process = Process()
    /// Kept open, because the end of standard input ends a connection.
    private let input = Pipe()

    init(_ arguments: [String], errors: Errors) throws {
        let redirection = errors == .closed ? " 2>&-" : ""
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", #"exec "$0" "$@""# + redirection, Self.path.path] + arguments
        process.standardInput = input
        process.standardOutput = Self.pipe(to: output)
        if errors == .read {
            process.standardError = Self.pipe(to: log)
        } else {
            let pipe = Pipe()
            process.standardError = pipe
            try pipe.fileHandleForReading.close()
        }
        try process.run()
    }

    private static func pipe(to lines: Lines) -> Pipe {
        let pipe = Pipe()
        let file = pipe.fileHandleForReading
        // Not a readabilityHandler: libdispatch crashes if a file is closed while it is watched.
        Thread.detachNewThread {
            var rest: [UInt8] = []
            while case let data = file.availableData, !data.isEmpty {
                rest += data
                let parts = rest.split(separator: 0x0A, omittingEmptySubsequences: false)
                rest = Array(parts.last ?? [])
                for part in parts.dropLast() { lines.add(String(decoding: part, as: UTF8.self)) }
            }
        }
        return pipe
    }

    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
