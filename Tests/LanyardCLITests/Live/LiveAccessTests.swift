// SPDX-License-Identifier: Apache-2.0

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
        method: String = "POST",
        token: String? = nil,
        _ changes: [String: String?] = [:]
    ) -> HTTPRequest {
        var headers: [String: String?] = [
            "host": "127.0.0.1:4711", "origin": "http://127.0.0.1:4711",
            "sec-fetch-site": "same-origin", "content-type": "application/json",
        ]
        headers.merge(changes) { $1 }
        return HTTPRequest(
            method: method,
            path: "/\(token ?? access.token)/\(place)",
            headers: headers.compactMapValues { $0 }
        )
    }

    private func status(_ request: HTTPRequest) -> HTTPStatus? {
        do throws(HTTPStatus) {
            _ = try access.route(of: request)
            return nil
        } catch {
            return error
        }
    }

    @Test("The page, its events and its commands are admitted with the token")
    func admitted() throws {
        #expect(try access.route(of: request()) == .command)
        #expect(try access.route(of: request("", method: "GET")) == .page)
        #expect(try access.route(of: request("events", method: "GET")) == .events)
        #expect(try access.route(of: request("timeline", method: "GET")) == .timeline)
        // A request of a script on this machine has no headers of a browser.
        let plain: [String: String?] = ["origin": nil, "sec-fetch-site": nil]
        #expect(try access.route(of: request(plain)) == .command)
        #expect(access.address == "http://127.0.0.1:4711/\(access.token)/")
    }

    private func request(_ changes: [String: String?]) -> HTTPRequest {
        request("command", method: "POST", token: nil, changes)
    }

    @Test("Each run has a new token of 128 bits")
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
        for path in ["/", "//command", "/\(token)", "/\(token)/x", "/\(token)/command/x"] {
            var request = request()
            request.path = path
            #expect(status(request) == .notFound)
        }
    }

    @Test(
        "Requests of other sites are refused",
        arguments: [
            (["host": "evil.example"] as [String: String?], HTTPStatus.misdirected),
            (["host": "127.0.0.1"], .misdirected),
            (["host": "127.0.0.1:4712"], .misdirected),
            (["host": nil], .misdirected),
            (["origin": "http://evil.example"], .forbidden),
            (["origin": "null"], .forbidden),
            (["origin": "https://127.0.0.1:4711"], .forbidden),
            (["sec-fetch-site": "cross-site"], .forbidden),
            (["sec-fetch-site": "same-site"], .forbidden),
            (["content-type": "text/plain"], .unsupportedMediaType),
            (["content-type": nil], .unsupportedMediaType),
        ]
    )
    func otherSites(changes: [String: String?], expected: HTTPStatus) {
        #expect(status(request(changes)) == expected)
    }

    @Test("A request with the wrong HTTP method for its resource is refused")
    func methods() {
        #expect(status(request("command", method: "GET")) == .methodNotAllowed)
        #expect(status(request("", method: "POST")) == .methodNotAllowed)
        #expect(status(request("events", method: "POST")) == .methodNotAllowed)
    }
}
