// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import Testing

@testable import LanyardCLI

@Suite("Access to the live page")
struct LiveAccessTests {
    private let access: LiveAccess

    init() {
        var generator = SystemRandomNumberGenerator()
        access = LiveAccess(port: 4_711, using: &generator)
    }

    private func request(
        _ place: String = "command",
        method: HTTPMethod = .POST,
        token: String? = nil,
        _ changes: [String: String?] = [:]
    ) -> HTTPRequest {
        request(path: "/\(token ?? access.token)/\(place)", method: method, changes)
    }

    private func request(
        path: String,
        method: HTTPMethod = .POST,
        _ changes: [String: String?] = [:]
    ) -> HTTPRequest {
        var headers: [String: String?] = [
            "host": "127.0.0.1:4711", "origin": "http://127.0.0.1:4711",
            "sec-fetch-site": "same-origin", "content-type": "application/json",
        ]
        headers.merge(changes) { $1 }
        let named = headers.compactMapValues { $0 }.map { (HTTPHeader($0), $1) }
        return HTTPRequest(
            method: method,
            version: .http11,
            target: .init(path: path, query: ""),
            headers: HTTPHeaders(Dictionary(uniqueKeysWithValues: named)),
            body: HTTPBodySequence()
        )
    }

    private func status(_ request: HTTPRequest) -> HTTPStatusCode? {
        do throws(LiveRefusal) {
            _ = try access.place(of: request)
            return nil
        } catch {
            return error.status
        }
    }

    @Test("The page, its events and its commands are admitted with the token")
    func admitted() throws {
        #expect(try access.place(of: request()) == .command)
        #expect(try access.place(of: request("", method: .GET)) == .page)
        #expect(try access.place(of: request("events", method: .GET)) == .events)
        #expect(try access.place(of: request("timeline", method: .GET)) == .timeline)
        // As a script on this machine asks, without the headers of a browser.
        let plain: [String: String?] = ["origin": nil, "sec-fetch-site": nil]
        #expect(try access.place(of: request("command", plain)) == .command)
        #expect(access.address == "http://127.0.0.1:4711/\(access.token)/")
    }

    @Test("Each run has another token of 128 bits")
    func tokens() {
        var generator = SystemRandomNumberGenerator()
        let tokens = (0..<100).map { _ in LiveAccess(port: 1, using: &generator).token }
        #expect(Set(tokens).count == 100)
        #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test("A request without the whole token is not found")
    func tokenRefusals() {
        let token = access.token
        let other = (token.first == "0" ? "1" : "0") + token.dropFirst()
        for wrong in ["", other, String(token.dropLast()), token + "0", token.uppercased() + "x"] {
            #expect(status(request("command", token: wrong)) == .notFound)
        }
        for path in ["", "/", "*", "//command", "/\(token)", "/\(token)/x", "/\(token)/command/x"] {
            #expect(status(request(path: path)) == .notFound)
        }
    }

    @Test(
        "Requests of other sites are refused",
        arguments: [
            (["host": "evil.example"] as [String: String?], HTTPStatusCode.misdirectedRequest),
            (["host": "127.0.0.1"], .misdirectedRequest),
            (["host": "127.0.0.1:4712"], .misdirectedRequest),
            (["host": nil], .misdirectedRequest),
            (["origin": "http://evil.example"], .forbidden),
            (["origin": "null"], .forbidden),
            (["origin": "https://127.0.0.1:4711"], .forbidden),
            (["sec-fetch-site": "cross-site"], .forbidden),
            (["sec-fetch-site": "same-site"], .forbidden),
            (["content-type": "text/plain"], .unsupportedMediaType),
            (["content-type": nil], .unsupportedMediaType),
        ]
    )
    func otherSites(changes: [String: String?], expected: HTTPStatusCode) {
        #expect(status(request("command", changes)) == expected)
    }

    @Test("Each place has one method")
    func methods() {
        #expect(status(request("command", method: .GET)) == .methodNotAllowed)
        #expect(status(request("", method: .POST)) == .methodNotAllowed)
        #expect(status(request("events", method: .POST)) == .methodNotAllowed)
    }
}
