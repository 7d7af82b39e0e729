// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import Foundation

extension HTTPResponse {
    /// Returns the response with an HTML document.
    static func document(_ html: String) -> HTTPResponse {
        protected(.ok, type: "text/html; charset=utf-8", HTTPBodySequence(data: Data(html.utf8)))
    }

    /// Returns the response with a body that is not complete yet.
    static func stream(_ body: HTTPBodySequence, type: String) -> HTTPResponse {
        protected(.ok, type: type, body)
    }

    /// Returns the response to a refused request. The server closes the connection after it, so that
    /// the unread rest of the request does not count as another request.
    static func refusal(_ status: HTTPStatusCode) -> HTTPResponse {
        let reason = Array((status.phrase + "\n").utf8)
        let (chunks, feed) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        feed.yield(reason)
        feed.finish(throwing: LiveRefusal(status: status))
        var response = protected(
            status,
            type: "text/plain; charset=utf-8",
            HTTPBodySequence(from: ChunkSequence(chunks), count: reason.count)
        )
        response.headers[.connection] = "close"
        return response
    }

    private static func protected(
        _ status: HTTPStatusCode,
        type: String,
        _ body: HTTPBodySequence
    ) -> HTTPResponse {
        var response = HTTPResponse(statusCode: status, headers: protection, body: body)
        response.headers[.contentType] = type
        return response
    }

    /// The headers of every response. The page loads nothing from elsewhere, no other page can show
    /// it, read from it or learn its address, and nothing is stored.
    private static let protection = HTTPHeaders([
        .cacheControl: "no-store",
        HTTPHeader("Content-Security-Policy"):
            "default-src 'none'; style-src 'unsafe-inline'; "
            + "script-src 'unsafe-inline'; connect-src 'self'; frame-src 'self'; img-src data:; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
        HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin",
        HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
        HTTPHeader("Referrer-Policy"): "no-referrer",
        HTTPHeader("X-Content-Type-Options"): "nosniff",
    ])
}
