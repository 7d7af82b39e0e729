// SPDX-License-Identifier: Apache-2.0

import Dispatch
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

    /// Waits until the response contains the text. Returns `false` if the server closes before.
    func waits(for part: String) async -> Bool {
        if text.contains(part) { return true }
        for await _ in arrivals where text.contains(part) { return true }
        return text.contains(part)
    }

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
    /// Runs a server whose responses contain the path of the request.
    ///
    /// - Parameter requestLimit: The time in which a request must be complete. The default is
    ///   longer than any test, because a client may wait longer than `LiveServer.requestLimit` for
    ///   a thread while other tests run.
    private func withServer(
        requestLimit: Duration = .seconds(3_600),
        requested: @escaping @Sendable (String) -> Void = { _ in },
        _ body: (LiveServer, UInt16) async throws -> Void
    ) async throws {
        let server = LiveServer(
            port: 0,
            .init(
                respond: { request in
                    requested(request.path)
                    if request.path == "/events" { return HTTPResponse(content: .events) }
                    if request.path == "/refused" { return .refusal(.notFound) }
                    return HTTPResponse(content: .json(.string(request.path)))
                },
                present: { "present" }
            ),
            requestLimit: requestLimit
        )
        let port = try await server.start()
        do {
            try await body(server, port)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Returns whether the server answers a new connection.
    private func answers(on port: UInt16) async throws -> Bool {
        let client = try await RawClient(port: port)
        defer { client.close() }
        client.send("GET /next HTTP/1.1\r\n\r\n")
        return await client.waits(for: "\"/next\"")
    }

    @Test("A connection carries several requests", .timeLimit(.minutes(5)))
    func requests() async throws {
        try await withServer { _, port in
            let client = try await RawClient(port: port)
            defer { client.close() }
            client.send("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n")
            #expect(await client.waits(for: "\"/2\""))
            let text = client.text
            #expect(text.contains("\"/1\"") && text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(text.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
            #expect(text.contains("\r\nContent-Security-Policy: default-src 'none';"))
            #expect(!text.lowercased().contains("access-control-allow-origin"))
        }
    }

    @Test("A stream begins with the current state and gets each update", .timeLimit(.minutes(5)))
    func streams() async throws {
        try await withServer { server, port in
            let client = try await RawClient(port: port)
            defer { client.close() }
            client.send("GET /events HTTP/1.1\r\n\r\n")
            #expect(await client.waits(for: "data: present\n\n"))
            await server.publish { nil }
            await server.publish { "one" }
            await server.publish { "two" }
            #expect(await client.waits(for: "data: two\n\n"))
            #expect(client.text.hasSuffix("data: present\n\ndata: one\n\ndata: two\n\n"))
        }
    }

    @Test(
        "A refused request ends its connection, and the server continues",
        .timeLimit(.minutes(5)),
        arguments: [
            ("GET /refused HTTP/1.1\r\n\r\n", "404 Not Found"),
            ("BREW /pot HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
            (String(repeating: "x", count: 9_000), "431 Request Header Fields Too Large"),
        ]
    )
    func refusals(request: String, status: String) async throws {
        try await withServer { _, port in
            let client = try await RawClient(port: port)
            client.send(request)
            await client.waitForEnd()
            #expect(client.text.hasPrefix("HTTP/1.1 \(status)\r\n"))
            client.close()
            #expect(try await answers(on: port))
        }
    }

    @Test(
        "A connection without a complete request ends after the limit",
        .timeLimit(.minutes(5)),
        arguments: ["", "GET / HT", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx"]
    )
    func silence(text: String) async throws {
        try await withServer(requestLimit: .milliseconds(200)) { _, port in
            let client = try await RawClient(port: port)
            if !text.isEmpty { client.send(text) }
            await client.waitForEnd()
            #expect(client.text.isEmpty)
            client.close()
        }
    }

    @Test("The body of a refused request is not a request", .timeLimit(.minutes(5)))
    func unreadBody() async throws {
        let requested = Mutex<[String]>([])
        try await withServer(requested: { path in requested.withLock { $0.append(path) } }) {
            _,
            port in
            for header in ["Content-Length: 20000", "Transfer-Encoding: chunked"] {
                let client = try await RawClient(port: port)
                client.send("POST /outer HTTP/1.1\r\n\(header)\r\n\r\nGET /inner HTTP/1.1\r\n\r\n")
                await client.waitForEnd()
                client.close()
            }
            #expect(try await answers(on: port))
        }
        #expect(requested.withLock { $0 } == ["/next"])
    }

    @Test("The end of the server ends its streams and waiting clients", .timeLimit(.minutes(5)))
    func stop() async throws {
        var clients: [RawClient] = []
        try await withServer { _, port in
            for text in ["GET /events HTTP/1.1\r\n\r\n", "GET /1 HTTP/1.1\r\n\r\n", "GET"] {
                let client = try await RawClient(port: port)
                client.send(text)
                if text != "GET" { #expect(await client.waits(for: "\r\n\r\n")) }
                clients.append(client)
            }
        }
        for client in clients {
            await client.waitForEnd()
            client.close()
        }
        #expect(clients[0].text.hasPrefix("HTTP/1.1 200 OK"))
    }

    @Test("A port that is not free is an error", .timeLimit(.minutes(5)))
    func portInUse() async throws {
        try await withServer { _, port in
            let content = LiveServer.Content(
                respond: { _ in .refusal(.notFound) },
                present: { "" }
            )
            let second = LiveServer(port: port, content)
            let start = await Task { try await second.start() }.result
            await second.stop()
            #expect(throws: TransportError.self) { try start.get() }
            let isAnswered = try await answers(on: port)
            #expect(isAnswered)
        }
    }

    @Test(
        "Connections above the limit are closed, and the end of a connection permits another one",
        .timeLimit(.minutes(5))
    )
    func limit() async throws {
        try await withServer { _, port in
            var clients: [RawClient] = []
            for number in 0..<LiveServer.connectionLimit {
                let client = try await RawClient(port: port)
                client.send("GET /\(number)/ HTTP/1.1\r\n\r\n")
                #expect(await client.waits(for: "\"/\(number)/\""))
                clients.append(client)
            }
            let extra = try await RawClient(port: port)
            await extra.waitForEnd()
            #expect(extra.text.isEmpty)
            extra.close()
            // A refused request ends its connection, which permits another one.
            clients[0].send("GET /refused HTTP/1.1\r\n\r\n")
            await clients[0].waitForEnd()
            let next = try await RawClient(port: port)
            next.send("GET /again HTTP/1.1\r\n\r\n")
            #expect(await next.waits(for: "\"/again\""))
            next.close()
            for client in clients { client.close() }
        }
    }

    @Test(
        "A client that does not read is disconnected, and other clients still get responses",
        .timeLimit(.minutes(5))
    )
    func slowReader() async throws {
        try await withServer { server, port in
            let slow = try await RawClient(port: port)
            slow.send("GET /events HTTP/1.1\r\n\r\n")
            #expect(await slow.waits(for: "present"))
            let release = slow.block()
            let big = String(repeating: "x", count: 1 << 20)
            for _ in 0..<16 { await server.publish { big } }
            let other = try await RawClient(port: port)
            other.send("GET /other HTTP/1.1\r\n\r\n")
            #expect(await other.waits(for: "\"/other\""))
            other.close()
            release()
            await slow.waitForEnd()
            #expect(slow.text.utf8.count < 16 << 20)
            slow.close()
        }
    }
}
