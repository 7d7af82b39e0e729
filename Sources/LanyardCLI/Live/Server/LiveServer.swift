// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// The HTTP server of the page, on a loopback port.
///
/// FlyingFox reads the requests and writes the responses. Because it has few limits, it listens on a
/// Unix socket in a folder that only this user can enter, and the connections of the port pass a
/// `LiveRelay`.
final class LiveServer: Sendable {
    /// The maximum number of bytes of a body.
    static let bodyLimit = 16_384
    /// The maximum number of bytes of the path of a Unix socket. Some systems permit a few more.
    private static let pathLimit = 103
    /// The maximum time until FlyingFox listens, in seconds.
    private static let startLimit = 30.0

    /// The folder of the Unix socket.
    let folder: String
    private let path: String
    private let http: HTTPServer
    private let relay: LiveRelay
    private let streams: LiveStreams
    private let tasks = Mutex<[Task<Void, any Error>]>([])

    /// - Parameters:
    ///   - port: The port at 127.0.0.1; 0 lets the system choose.
    ///   - streams: The responses that are not complete.
    ///   - place: The folder in which the folder of the Unix socket is made.
    ///   - respond: Returns the response to a request. Cancellation of its task ends it.
    init(
        port: UInt16,
        _ streams: LiveStreams,
        silenceLimit: Duration = LiveRelay.silenceLimit,
        place: String = NSTemporaryDirectory(),
        respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) {
        let name = "lanyard-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        folder = URL(fileURLWithPath: place).appendingPathComponent(name).path
        let path = folder + "/http"
        let handler = ClosureHTTPHandler { request in
            do throws(LiveRefusal) {
                try Self.check(request)
            } catch {
                return .refusal(error.status)
            }
            return await respond(request)
        }
        http = HTTPServer(
            config: .init(
                address: sockaddr_un.unix(path: path),
                sharedRequestBufferSize: Self.bodyLimit,
                sharedRequestReplaySize: Self.bodyLimit,
                logger: .disabled
            ),
            handler: handler
        )
        self.path = path
        relay = LiveRelay(port: port, to: path, silenceLimit: silenceLimit)
        self.streams = streams
    }

    /// Starts to listen, and returns the port.
    ///
    /// - Throws: `TransportError` if the port is not free, or an error about the folder.
    func start() async throws -> UInt16 {
        // FlyingFox would listen at the beginning of a longer path.
        guard path.utf8.count <= Self.pathLimit else {
            throw ProgramFailure(
                .inputOutput,
                "the path of the folder for temporary files is too long for a socket",
                advice: "set TMPDIR to a folder with a shorter path"
            )
        }
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            try await startHTTP()
            return try await relay.start()
        } catch {
            await stop()
            throw error
        }
    }

    /// Waits until the server ends without `stop()`, and throws the reason.
    func failure() async throws {
        let running = tasks.withLock { $0.first }
        try await running?.value
    }

    /// Closes all connections, and removes the folder.
    func stop() async {
        await relay.stop()
        await http.stop()
        let ending = tasks.withLock { tasks in
            defer { tasks = [] }
            return tasks
        }
        for task in ending {
            task.cancel()
            _ = await task.result
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func startHTTP() async throws {
        let start = Task { [http] in
            try await http.waitUntilListening(timeout: Self.startLimit)
        }
        let running = Task { [http] in
            defer { start.cancel() }
            try await http.run()
        }
        let marks = Task { [streams] in
            while true {
                try await Task.sleep(for: LiveStreams.markPeriod)
                await streams.mark()
            }
        }
        tasks.withLock { $0 = [running, marks] }
        if case .failure(let error) = await start.result {
            running.cancel()
            // The error of the server itself is the better reason.
            do { try await running.value } catch is CancellationError {}
            throw error
        }
    }

    /// Checks what FlyingFox accepts and the page does not need.
    private static func check(_ request: HTTPRequest) throws(LiveRefusal) {
        guard request.version == .http11 else {
            throw LiveRefusal(status: .httpVersionNotSupported)
        }
        guard request.headers[.transferEncoding] == nil else {
            throw LiveRefusal(status: .notImplemented)
        }
        guard let count = request.bodySequence.count, count <= bodyLimit else {
            throw LiveRefusal(status: .payloadTooLarge)
        }
    }
}
