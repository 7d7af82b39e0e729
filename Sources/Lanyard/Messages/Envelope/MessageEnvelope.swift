// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText

/// The envelope of a message, which assigns answers to requests: a JSON object with a member that
/// names the kind and contains the message, and another member for the number of a request.
///
/// | envelope | meaning |
/// | --- | --- |
/// | `{"tell":…}` | a message that expects no answer |
/// | `{"ask":…,"id":7}` | a request |
/// | `{"answer":…,"id":7}` | the answer to the request with this number |
/// | `{"refuse":"why","id":7}` | a refusal of the request with this number |
///
/// Either side may send requests. The requesting side chooses the number, an integer from 0 to
/// 9,007,199,254,740,991 (2^53 minus 1), and does not reuse it while an answer can arrive. Both
/// sides may use the same numbers. Unknown members are ignored, and the order of members has no
/// meaning.
package enum MessageEnvelope: Hashable, Sendable {
    /// A message, as JSON.
    case tell(Data)
    /// A request.
    case ask(id: Int, Data)
    /// An answer.
    case answer(id: Int, Data)
    /// A refusal with a reason.
    case refuse(id: Int, String)

    /// Decodes an envelope from JSON; `nil` if the data is not an envelope.
    package init?(_ json: Data) {
        guard let members = JSON.RawMembers(json) else { return nil }
        let kinds = ["tell", "ask", "answer", "refuse"].filter(members.has)
        guard kinds.count == 1, let kind = kinds.first, let body = members[kind] else { return nil }
        guard kind != "tell" else {
            self = .tell(Data(body))
            return
        }
        guard let id = members["id"].flatMap(Self.number) else { return nil }
        switch kind {
        case "ask": self = .ask(id: id, Data(body))
        case "answer": self = .answer(id: id, Data(body))
        default:
            guard let reason = (try? JSON(parsing: body))?.text else { return nil }
            self = .refuse(id: id, reason)
        }
    }

    /// The envelope as JSON.
    package var json: Data {
        switch self {
        case .tell(let body): Data(#"{"tell":"#.utf8) + body + Data("}".utf8)
        case .ask(let id, let body): Self.json("ask", id, body)
        case .answer(let id, let body): Self.json("answer", id, body)
        case .refuse(let id, let reason):
            Self.json("refuse", id, Data(JSON.string(reason).compact.utf8))
        }
    }

    /// The contained message, as JSON; a refusal has none.
    var body: Data? {
        switch self {
        case .tell(let body), .ask(_, let body), .answer(_, let body): body
        case .refuse: nil
        }
    }

    private static func json(_ kind: String, _ id: Int, _ body: Data) -> Data {
        Data(#"{"\#(kind)":"#.utf8) + body + Data(#","id":\#(id)}"#.utf8)
    }

    /// The greatest integer that JSON parsers commonly read exactly (RFC 8259, 6).
    private static let greatestID = 1 << 53 - 1

    private static func number(_ json: ArraySlice<UInt8>) -> Int? {
        guard let id = Int(String(decoding: json, as: UTF8.self)), (0...greatestID).contains(id)
        else { return nil }
        return id
    }
}
