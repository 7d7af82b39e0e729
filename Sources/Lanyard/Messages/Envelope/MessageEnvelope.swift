// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What stands around a message, so that requests and answers find each other: a JSON object with one
/// member that says what it is and holds the message, and another one for the number of a request.
///
/// | envelope | means |
/// | --- | --- |
/// | `{"tell":…}` | a message to which no answer is expected |
/// | `{"ask":…,"id":7}` | a request |
/// | `{"answer":…,"id":7}` | the answer to the request with this number |
/// | `{"refuse":"why","id":7}` | there will be no answer |
///
/// Either side may ask. A number is an integer of the asking side's choice, from 0 to 2^53 - 1, which
/// that side does not use twice while an answer can come; so both may use the same. Members that are not
/// known are passed over, and their order is of no account.
package enum MessageEnvelope: Hashable, Sendable {
    /// A message, as JSON.
    case tell(Data)
    /// A request.
    case ask(id: Int, Data)
    /// An answer.
    case answer(id: Int, Data)
    /// No answer, for a reason in words.
    case refuse(id: Int, String)

    /// What JSON means as an envelope; nil if it is none.
    package init?(_ json: Data) {
        guard let members = JSONMembers(json) else { return nil }
        let kinds = ["tell", "ask", "answer", "refuse"].filter { kind in
            members.names.contains { $0.elementsEqual(kind.utf8) }
        }
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
            guard let reason = try? JSONDecoder().decode(String.self, from: Data(body)) else {
                return nil
            }
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
            Self.json("refuse", id, (try? JSONEncoder().encode(reason)) ?? Data(#""""#.utf8))
        }
    }

    /// The message in it, as JSON; a reason has none.
    var body: Data? {
        switch self {
        case .tell(let body), .ask(_, let body), .answer(_, let body): body
        case .refuse: nil
        }
    }

    private static func json(_ kind: String, _ id: Int, _ body: Data) -> Data {
        Data(#"{"\#(kind)":"#.utf8) + body + Data(#","id":\#(id)}"#.utf8)
    }

    /// The largest number that every JSON reader takes for an integer.
    private static let greatestID = 1 << 53 - 1

    private static func number(_ json: Data) -> Int? {
        guard let id = Int(String(decoding: json, as: UTF8.self)), (0...greatestID).contains(id)
        else { return nil }
        return id
    }
}
