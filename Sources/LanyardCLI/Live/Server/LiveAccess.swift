// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The part of the page that a request is for.
enum LiveRoute: String, CaseIterable, Sendable {
    case page = ""
    case timeline
    case events
    case command
}

/// The check of requests to the page.
///
/// Another user of this machine, and a web page of another site in the same browser, can both send
/// requests to the port. Neither of them has the token in the address. The check of the host
/// refuses a site whose name resolves to the loopback address (DNS rebinding), and the check of the
/// origin refuses the requests of other sites.
struct LiveAccess: Sendable {
    let port: UInt16
    /// 128 random bits in hexadecimal.
    let token: String

    init(port: UInt16, using generator: inout some RandomNumberGenerator) {
        self.port = port
        token = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }.hexadecimal
    }

    /// The address of the page.
    var address: String { "http://127.0.0.1:\(port)/\(token)/" }

    /// Returns the part of the page that an admitted request is for. Throws the status of a
    /// refusal.
    func route(of request: HTTPRequest) throws(HTTPStatus) -> LiveRoute {
        guard let host = request.headers["host"], hosts.contains(host) else { throw .misdirected }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, Self.isEqual(String(parts[1]), token),
            let route = LiveRoute(rawValue: String(parts[2]))
        else { throw .notFound }
        if let origin = request.headers["origin"], origin != "http://\(host)" { throw .forbidden }
        // This check does not apply to the page, because its address is opened from outside the
        // browser.
        if route != .page, let site = request.headers["sec-fetch-site"],
            !["same-origin", "none"].contains(site)
        {
            throw .forbidden
        }
        guard request.method == (route == .command ? "POST" : "GET") else {
            throw .methodNotAllowed
        }
        // A form of another site cannot send this type.
        if route == .command, request.headers["content-type"] != "application/json" {
            throw .unsupportedMediaType
        }
        return route
    }

    private var hosts: [String] { ["127.0.0.1:\(port)", "localhost:\(port)"] }

    /// Returns whether two texts are equal, in a time that does not depend on the place of their
    /// first difference.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
