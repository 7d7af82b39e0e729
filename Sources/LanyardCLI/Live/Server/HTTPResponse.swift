// SPDX-License-Identifier: Apache-2.0

import JSONText

/// The status codes of the page's server (RFC 9110, 15, and for 431, RFC 6585, 5).
enum HTTPStatus: Int, Error, Sendable {
    case ok = 200
    case badRequest = 400
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case contentTooLarge = 413
    case unsupportedMediaType = 415
    case misdirected = 421
    case headersTooLarge = 431
    case notImplemented = 501
    case unavailable = 503
    case versionNotSupported = 505

    var reason: String {
        switch self {
        case .ok: "OK"
        case .badRequest: "Bad Request"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .contentTooLarge: "Content Too Large"
        case .unsupportedMediaType: "Unsupported Media Type"
        case .misdirected: "Misdirected Request"
        case .headersTooLarge: "Request Header Fields Too Large"
        case .notImplemented: "Not Implemented"
        case .unavailable: "Service Unavailable"
        case .versionNotSupported: "HTTP Version Not Supported"
        }
    }
}

/// A response to a browser.
struct HTTPResponse: Sendable {
    enum Content: Sendable {
        case html(String)
        case json(JSON)
        /// A stream of events, which begins with the current state and does not end.
        case events
        /// The reason of the status as text.
        case reason
    }

    var status = HTTPStatus.ok
    var content: Content

    /// Returns the response to a refused request.
    static func refusal(_ status: HTTPStatus) -> HTTPResponse {
        HTTPResponse(status: status, content: .reason)
    }

    var isStream: Bool {
        if case .events = content { true } else { false }
    }

    /// Whether the connection cannot carry another request.
    private var isLast: Bool { isStream || status != .ok }

    /// The response as bytes.
    var bytes: [UInt8] {
        let (type, body) =
            switch content {
            case .html(let text): ("text/html; charset=utf-8", text)
            case .json(let json): ("application/json", json.compact)
            case .events: ("text/event-stream", "")
            case .reason: ("text/plain; charset=utf-8", status.reason + "\n")
            }
        let data = Array(body.utf8)
        var lines = ["HTTP/1.1 \(status.rawValue) \(status.reason)", "Content-Type: \(type)"]
        if !isStream { lines.append("Content-Length: \(data.count)") }
        if isLast { lines.append("Connection: close") }
        return Array((lines + Self.protection + ["", ""]).joined(separator: "\r\n").utf8) + data
    }

    /// The headers of every response. The page loads nothing from elsewhere, no other page can show
    /// it, read from it or learn its address, and nothing is stored.
    private static let protection = [
        "Cache-Control: no-store",
        "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; "
            + "script-src 'unsafe-inline'; connect-src 'self'; frame-src 'self'; img-src data:; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
        "Cross-Origin-Opener-Policy: same-origin",
        "Cross-Origin-Resource-Policy: same-origin",
        "Referrer-Policy: no-referrer",
        "X-Content-Type-Options: nosniff",
    ]
}
