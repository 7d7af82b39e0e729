// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LanyardCLI

@Suite("Requests to the live page")
struct HTTPRequestReaderTests {
    private func read(_ text: String) -> HTTPRequestReader.Outcome {
        read(Array(text.utf8))
    }

    private func read(_ bytes: [UInt8]) -> HTTPRequestReader.Outcome {
        var reader = HTTPRequestReader()
        reader.append(bytes[...])
        return reader.next()
    }

    @Test("A request has a method, a path, headers and a body")
    func parts() {
        let text = "POST /a/b?c=d HTTP/1.1\r\nHost:  x \r\nContent-Length: 3\r\n\r\nabc"
        let headers = ["host": "x", "content-length": "3"]
        #expect(
            read(text)
                == .request(
                    HTTPRequest(
                        method: "POST",
                        path: "/a/b",
                        headers: headers,
                        body: Array("abc".utf8)
                    )
                )
        )
    }

    @Test("Requests that arrive byte by byte, and two at once, are separated")
    func streams() {
        let text = Array(
            "GET /1 HTTP/1.1\r\n\r\nPOST /2 HTTP/1.1\r\nContent-Length: 1\r\n\r\nx".utf8
        )
        var paths: [[String]] = []
        for size in [1, 7, text.count] {
            var reader = HTTPRequestReader()
            var found: [String] = []
            for start in stride(from: 0, to: text.count, by: size) {
                reader.append(text[start..<min(start + size, text.count)])
                while case .request(let request) = reader.next() { found.append(request.path) }
            }
            paths.append(found)
        }
        #expect(paths == [["/1", "/2"], ["/1", "/2"], ["/1", "/2"]])
    }

    @Test(
        "Bytes that are not a request of the page are refused",
        arguments: [
            ("\r\n\r\n", HTTPStatus.badRequest),
            ("GET  / HTTP/1.1\r\n\r\n", .badRequest),
            ("GET http://x/ HTTP/1.1\r\n\r\n", .badRequest),
            ("GET / HTTP/1.0\r\n\r\n", .versionNotSupported),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .badRequest),
            ("PUT / HTTP/1.1\r\n\r\n", .methodNotAllowed),
            ("GET / HTTP/1.1\r\nHost x\r\n\r\n", .badRequest),
            ("GET / HTTP/1.1\r\n: x\r\n\r\n", .badRequest),
            ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", .badRequest),
            ("GET / HTTP/1.1\r\nHost: x\r\n y\r\n\r\n", .badRequest),
            ("GET / HTTP/1.1\r\nHost: x\r\nHOST: y\r\n\r\n", .badRequest),
            ("GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n", .badRequest),
            ("GET /\u{0} HTTP/1.1\r\n\r\n", .badRequest),
            ("GET /ä HTTP/1.1\r\n\r\n", .badRequest),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", .notImplemented),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", .badRequest),
            ("POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", .badRequest),
            ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", .badRequest),
            ("POST / HTTP/1.1\r\nContent-Length: 16385\r\n\r\n", .contentTooLarge),
        ]
    )
    func refusals(text: String, status: HTTPStatus) {
        #expect(read(text) == .refused(status))
    }

    @Test("A request line without an end, and too many headers, are refused at their limits")
    func limits() {
        let endless = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(read(endless) == .refused(.headersTooLarge))
        #expect(read(Array(endless.prefix(HTTPRequestReader.headLimit))) == .incomplete)
        let headers = (0...HTTPRequestReader.headerLimit).map { "h\($0): x\r\n" }.joined()
        #expect(read("GET / HTTP/1.1\r\n\(headers)\r\n") == .refused(.headersTooLarge))
    }

    @Test("Random bytes never trap", arguments: [1, 2, 3, 4])
    func random(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        let alphabet = Array("GET POST/ HTTP/1.1\r\n\r\n: Content-Length0123\u{0}".utf8)
        var refused = 0
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1
                bytes.append(alphabet[Int(state >> 33) % alphabet.count])
            }
            if case .refused = read(bytes + Array("\r\n\r\n".utf8)) { refused += 1 }
        }
        #expect(refused > 1_900)
    }
}
