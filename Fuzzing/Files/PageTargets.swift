// SPDX-License-Identifier: Apache-2.0

@testable import LanyardCLI

/// Reads a connection to the live page, at once and in pieces, and the command in each body. The
/// first byte gives the length of the pieces.
func fuzzPageRequests(_ bytes: [UInt8]) {
    let size = Int(bytes.first ?? 0) % 16 + 1
    let stream = bytes.dropFirst()
    let whole = requests(in: [stream])
    let pieces = stride(from: stream.startIndex, to: stream.endIndex, by: size).map {
        stream[$0..<min($0 + size, stream.endIndex)]
    }
    // The reader's buffer may be too small for a longer stream at once, but not for its pieces.
    if stream.count <= HTTPRequestReader.headLimit {
        require(requests(in: pieces) == whole, "pieces change the requests")
    }
    for request in whole {
        require(request.headers.count <= HTTPRequestReader.headerLimit, "too many headers")
        require(request.body.count <= HTTPRequestReader.bodyLimit, "the body is too long")
        _ = try? LiveCommandBody(request.body)
    }
}

private func requests(in pieces: [ArraySlice<UInt8>]) -> [HTTPRequest] {
    var reader = HTTPRequestReader()
    var requests: [HTTPRequest] = []
    for piece in pieces {
        reader.append(piece)
        reading: while true {
            switch reader.next() {
            case .request(let request): requests.append(request)
            case .refused: return requests
            case .incomplete: break reading
            }
        }
    }
    return requests
}
