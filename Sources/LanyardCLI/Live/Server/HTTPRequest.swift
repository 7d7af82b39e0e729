// SPDX-License-Identifier: Apache-2.0

/// A request of a browser (RFC 9112). Names of headers are in lower case.
struct HTTPRequest: Equatable, Sendable {
    var method: String
    /// The path, without the query.
    var path: String
    var headers: [String: String] = [:]
    var body: [UInt8] = []
}

/// A splitter of a connection's bytes into requests. Any program on this machine can send these
/// bytes, so the size of each part has a limit.
struct HTTPRequestReader: Sendable {
    /// The maximum number of bytes of a request line with its headers.
    static let headLimit = 8_192
    /// The maximum number of headers.
    static let headerLimit = 64
    /// The maximum number of bytes of a body.
    static let bodyLimit = 16_384

    enum Outcome: Equatable, Sendable {
        /// The request continues.
        case incomplete
        case request(HTTPRequest)
        /// The bytes are not a valid request. No later request can be found.
        case refused(HTTPStatus)
    }

    private var buffer: [UInt8] = []

    /// Adds received bytes.
    mutating func append(_ bytes: ArraySlice<UInt8>) {
        // One byte above the limit is enough to refuse the request.
        let freeLength = Self.headLimit + Self.bodyLimit + 1 - buffer.count
        buffer += bytes.prefix(max(0, freeLength))
    }

    /// Takes the next request.
    mutating func next() -> Outcome {
        do throws(HTTPStatus) {
            guard let end = try headEnd() else { return .incomplete }
            var request = try Self.head(of: buffer[..<end])
            let length = try Self.bodyLength(of: request)
            let start = end + Self.blankLine.count
            guard buffer.count >= start + length else {
                guard buffer.count <= Self.headLimit + Self.bodyLimit else {
                    throw .contentTooLarge
                }
                return .incomplete
            }
            request.body = Array(buffer[start..<start + length])
            buffer.removeFirst(start + length)
            return .request(request)
        } catch {
            return .refused(error)
        }
    }

    // MARK: Parts

    private static let blankLine = Array("\r\n\r\n".utf8)

    /// Returns the index of the blank line after the headers; `nil` if it has not arrived.
    private func headEnd() throws(HTTPStatus) -> Int? {
        let head = buffer.prefix(Self.headLimit + Self.blankLine.count)
        if let range = head.firstRange(of: Self.blankLine) { return range.lowerBound }
        guard buffer.count <= Self.headLimit else { throw .headersTooLarge }
        return nil
    }

    private static func head(of bytes: ArraySlice<UInt8>) throws(HTTPStatus) -> HTTPRequest {
        guard
            bytes.allSatisfy({
                (0x20..<0x7F).contains($0) || $0 == 0x0D || $0 == 0x0A || $0 == 0x09
            })
        else { throw .badRequest }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\r\n",
            omittingEmptySubsequences: false
        )
        guard lines.count <= headerLimit + 1 else { throw .headersTooLarge }
        var request = try requestLine(lines[0])
        for line in lines.dropFirst() {
            let (name, value) = try header(line)
            // Programs differ in the value that they use if two headers have the same name.
            guard request.headers.updateValue(value, forKey: name) == nil else {
                throw .badRequest
            }
        }
        return request
    }

    private static func requestLine(_ line: Substring) throws(HTTPStatus) -> HTTPRequest {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].hasPrefix("/") else { throw .badRequest }
        guard parts[2] == "HTTP/1.1" else { throw .versionNotSupported }
        guard ["GET", "POST"].contains(parts[0]) else { throw .methodNotAllowed }
        let path = parts[1].prefix { $0 != "?" }
        return HTTPRequest(method: String(parts[0]), path: String(path))
    }

    private static func header(_ line: Substring) throws(HTTPStatus) -> (String, String) {
        guard let colon = line.firstIndex(of: ":") else { throw .badRequest }
        let name = line[..<colon]
        let isToken = name.allSatisfy {
            $0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)
        }
        let value = line[line.index(after: colon)...]
        guard !name.isEmpty, isToken, !value.contains("\r"), !value.contains("\n") else {
            throw .badRequest
        }
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let trimmed = value.drop(while: blank).reversed().drop(while: blank).reversed()
        return (name.lowercased(), String(trimmed))
    }

    private static func bodyLength(of request: HTTPRequest) throws(HTTPStatus) -> Int {
        guard request.headers["transfer-encoding"] == nil else { throw .notImplemented }
        guard let text = request.headers["content-length"] else { return 0 }
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let length = Int(text) else {
            throw .badRequest
        }
        guard length <= bodyLimit else { throw .contentTooLarge }
        return length
    }
}
