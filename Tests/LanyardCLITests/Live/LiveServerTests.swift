// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FlyingFox
import Foundation
import HCITransports
import JSONText
import Synchronization
import Testing

@testable import LanyardCLI

/// A client on a loopback connection, which sends bytes as they are.
private final class RawClient: Sendable {
    private let executor = AdapterExecutor()
    private let transport: any HCITransport
    private let received = Mutex<[UInt8]>([])
    private let (arrivals, feed) = AsyncStream.makeStream(of: Bool.self)

    init(port: UInt16) async throws {
        transport = AdapterSpecification.tcp(host: "127.0.0.1", port: port).makeTransport()
        try await transport.open(on: executor) { [self] event in
            switch event {
            case .received(let bytes):
                received.withLock { $0 += bytes }
                feed.yield(true)
            case .closed: feed.finish()
            }
        }
    }

    var text: String { received.withLock { String(decoding: $0, as: UTF8.self) } }

    func send(_ text: String) {
        executor.perform { [transport] in transport.send([Array(text.utf8)]) }
    }

    /// Waits until the response contains the text. Returns false if the server closes before.
    func waits(for part: String) async -> Bool {
        if text.contains(part) { return true }
        for await _ in arrivals where text.contains(part) { return true }
        return text.contains(part)
    }

    /// Waits until the server closes.
    func waitForEnd() async {
        for await _ in arrivals {}
    }

    /// Stops the thread that reads. Returns the closure that lets it continue.
    func block() -> @Sendable () -> Void {
        let gate = DispatchSemaphore(value: 0)
        executor.perform { gate.wait() }
        return { gate.signal() }
    }

    func close() {
        executor.perform { [transport] in transport.close() }
        executor.shutDown()
    }
}

@Suite("The server of the live page")
struct LiveServerTests {
    /// The parts of a running server.
    private struct Running {
        let server: LiveServer
        let streams: LiveStreams
        let port: UInt16
    }

    /// Runs a server whose responses contain the path of the request.
    private func withServer(
        silenceLimit: Duration = LiveRelay.silenceLimit,
        command: @escaping @Sendable () async -> JSON = { .null },
        requested: @escaping @Sendable (String) -> Void = { _ in },
        _ body: (Running) async throws -> Void
    ) async throws {
        let streams = LiveStreams { "present" }
        let server = LiveServer(port: 0, streams, silenceLimit: silenceLimit) { request in
            requested(request.path)
            switch request.path {
            case "/events": return await streams.events()
            case "/command": return await streams.result(of: command)
            case "/refused": return .refusal(.notFound)
            default: return .document("path: \(request.path);")
            }
        }
        let port = try await server.start()
        do {
            try await body(Running(server: server, streams: streams, port: port))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Whether the server answers a new connection.
    private func answers(_ running: Running) async throws -> Bool {
        let client = try await RawClient(port: running.port)
        defer { client.close() }
        client.send("GET /next HTTP/1.1\r\n\r\n")
        return await client.waits(for: "path: /next;")
    }

    @Test("A connection carries several requests", .timeLimit(.minutes(5)))
    func requests() async throws {
        try await withServer { running in
            let client = try await RawClient(port: running.port)
            defer { client.close() }
            client.send("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n")
            #expect(await client.waits(for: "path: /2;"))
            let text = client.text
            #expect(text.contains("path: /1;") && text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(text.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
            #expect(text.contains("\r\nContent-Security-Policy: default-src 'none';"))
            #expect(!text.lowercased().contains("access-control-allow-origin"))
        }
    }

    @Test("A request arrives byte by byte", .timeLimit(.minutes(5)))
    func bytes() async throws {
        try await withServer { running in
            let client = try await RawClient(port: running.port)
            defer { client.close() }
            for byte in "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n".utf8 {
                client.send(String(UnicodeScalar(byte)))
            }
            #expect(await client.waits(for: "path: /slow;"))
        }
    }

    @Test("A stream begins with the present state and gets each update", .timeLimit(.minutes(5)))
    func streams() async throws {
        try await withServer { running in
            let client = try await RawClient(port: running.port)
            defer { client.close() }
            client.send("GET /events HTTP/1.1\r\n\r\n")
            #expect(await client.waits(for: "data: present\n\n"))
            await running.streams.publish { nil }
            await running.streams.publish { "one" }
            await running.streams.mark()
            await running.streams.publish { "two" }
            #expect(await client.waits(for: "data: two\n\n"))
            let events = client.text.split(separator: "\r\n").filter { $0.hasSuffix("\n\n") }
            #expect(events.filter { $0 != ":\n\n" }.count == 3)
            #expect(events.filter { $0 != ":\n\n" }[1] == "data: one\n\n")
        }
    }

    @Test("A command that takes long keeps its connection", .timeLimit(.minutes(5)))
    func longCommand() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let command: @Sendable () async -> JSON = {
            for await _ in ends {}
            return .string("done")
        }
        try await withServer(command: command) { running in
            let client = try await RawClient(port: running.port)
            defer { client.close() }
            client.send("GET /command HTTP/1.1\r\n\r\n")
            #expect(await client.waits(for: "\r\n\r\n"))
            await running.streams.mark()
            await running.streams.mark()
            #expect(await client.waits(for: "\r\n\r\n01\r\n \r\n01\r\n \r\n"))
            end.finish()
            #expect(await client.waits(for: "\"done\"\r\n0\r\n\r\n"))
        }
        #expect(LiveStreams.markPeriod * 2 < LiveRelay.silenceLimit)
    }

    @Test(
        "A refused request ends its connection, and the server continues",
        .timeLimit(.minutes(5)),
        arguments: [
            ("GET /refused HTTP/1.1\r\n\r\n", "404 Not Found"),
            ("GET / HTTP/1.0\r\n\r\n", "505 HTTP Version Not Supported"),
            ("POST / HTTP/1.1\r\nContent-Length: 16385\r\n\r\n", "413 Payload Too Large"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "501 Not Implemented"),
        ]
    )
    func refusals(request: String, status: String) async throws {
        try await withServer { running in
            let client = try await RawClient(port: running.port)
            client.send(request)
            await client.waitForEnd()
            #expect(client.text.hasPrefix("HTTP/1.1 \(status)\r\n"))
            #expect(client.text.contains("\r\nContent-Security-Policy: default-src 'none';"))
            client.close()
            #expect(try await answers(running))
        }
    }

    @Test(
        "Bytes that are not a request end their connection without an answer",
        .timeLimit(.minutes(5)),
        arguments: [
            "\r\n\r\n", "GET\r\n\r\n", "\u{0}\u{1}\u{2} \n\n", "GET /\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            String(repeating: "x", count: LiveRelay.requestLimit + 1),
            "GET / HTTP/1.1\r\n"
                + String(repeating: "name: value\r\n", count: LiveRelay.requestLimit / 13),
        ]
    )
    func garbage(text: String) async throws {
        try await withServer(silenceLimit: .milliseconds(500)) { running in
            let client = try await RawClient(port: running.port)
            client.send(text)
            await client.waitForEnd()
            #expect(!client.text.contains(" 200 "))
            client.close()
            #expect(try await answers(running))
        }
    }

    @Test("The unread body of a refused request is not a request", .timeLimit(.minutes(5)))
    func unreadBody() async throws {
        let requested = Mutex<[String]>([])
        try await withServer(requested: { path in requested.withLock { $0.append(path) } }) {
            running in
            for header in ["Content-Length: 20000", "Transfer-Encoding: chunked"] {
                let client = try await RawClient(port: running.port)
                client.send("POST /outer HTTP/1.1\r\n\(header)\r\n\r\nGET /inner HTTP/1.1\r\n\r\n")
                await client.waitForEnd()
                client.close()
            }
            #expect(try await answers(running))
        }
        #expect(requested.withLock { $0 } == ["/next"])
    }

    @Test(
        "A connection without a complete request ends after the limit",
        .timeLimit(.minutes(5)),
        arguments: ["", "GET / HT", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx"]
    )
    func silence(text: String) async throws {
        try await withServer(silenceLimit: .milliseconds(200)) { running in
            let client = try await RawClient(port: running.port)
            if !text.isEmpty { client.send(text) }
            await client.waitForEnd()
            #expect(client.text.isEmpty)
            client.close()
            #expect(try await answers(running))
        }
    }

    @Test(
        "Connections above the limit are closed, and a place becomes free",
        .timeLimit(.minutes(5))
    )
    func limit() async throws {
        try await withServer { running in
            var clients: [RawClient] = []
            for number in 0..<LiveRelay.connectionLimit {
                let client = try await RawClient(port: running.port)
                client.send("GET /events HTTP/1.1\r\n\r\n")
                #expect(await client.waits(for: "data: present"), "\(number)")
                clients.append(client)
            }
            let extra = try await RawClient(port: running.port)
            await extra.waitForEnd()
            #expect(extra.text.isEmpty)
            extra.close()
            // The server of the relay frees the place when it has read the end of the connection.
            clients.removeFirst().close()
            while try await !answers(running) {}
            for client in clients { client.close() }
        }
    }

    @Test(
        "A reader that does not read is closed, and the others get every update",
        .timeLimit(.minutes(5))
    )
    func slowReader() async throws {
        try await withServer { running in
            let slow = try await RawClient(port: running.port)
            slow.send("GET /events HTTP/1.1\r\n\r\n")
            #expect(await slow.waits(for: "present"))
            let release = slow.block()
            let big = String(repeating: "x", count: 1 << 20)
            for _ in 0..<16 { await running.streams.publish { big } }
            #expect(try await answers(running))
            while await running.streams.count > 0 { await Task.yield() }
            release()
            await slow.waitForEnd()
            #expect(slow.text.utf8.count < 16 << 20)
            slow.close()
        }
    }

    @Test("The end of the server ends its streams and waiting clients", .timeLimit(.minutes(5)))
    func stop() async throws {
        var clients: [RawClient] = []
        try await withServer { running in
            for text in ["GET /events HTTP/1.1\r\n\r\n", "GET /1 HTTP/1.1\r\n\r\n", "GET"] {
                let client = try await RawClient(port: running.port)
                client.send(text)
                if text.hasSuffix("\r\n\r\n") { #expect(await client.waits(for: "\r\n\r\n")) }
                clients.append(client)
            }
        }
        for client in clients {
            await client.waitForEnd()
            client.close()
        }
        #expect(clients[0].text.contains("data: present"))
    }

    @Test("A port that is not free is an error", .timeLimit(.minutes(5)))
    func portInUse() async throws {
        try await withServer { running in
            let second = LiveServer(port: running.port, running.streams) { _ in .document("") }
            let start = await Task { try await second.start() }.result
            #expect(throws: TransportError.self) { try start.get() }
            #expect(!FileManager.default.fileExists(atPath: second.folder))
            let isAnswered = try await answers(running)
            #expect(isAnswered)
        }
    }

    @Test("Other users cannot enter the folder of the server, which it removes")
    func folder() async throws {
        var folder = ""
        try await withServer { running in
            folder = running.server.folder
            let attributes = try FileManager.default.attributesOfItem(atPath: folder)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
        #expect(!folder.isEmpty && !FileManager.default.fileExists(atPath: folder))
    }

    @Test("A folder whose path is too long for a socket, or that does not exist, is an error")
    func unsuitablePlaces() async throws {
        let place = NSTemporaryDirectory()
        for name in [String(repeating: "x", count: 100), "lanyard-does-not-exist"] {
            let streams = LiveStreams { "" }
            let server = LiveServer(port: 0, streams, place: place + name) { _ in .document("") }
            let start = await Task { try await server.start() }.result
            #expect(throws: (any Error).self) { try start.get() }
            if name.count == 100 { #expect(throws: ProgramFailure.self) { try start.get() } }
        }
    }
}
