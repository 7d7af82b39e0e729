// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import Testing

/// The framings, each for messages of up to 100 bytes.
enum TestedFraming: String, CaseIterable, CustomTestStringConvertible {
    case startEnd, twoBytesBig, twoBytesLittle, fourBytesBig, fourBytesLittle, cobs

    static let limit = 100

    func make(limit: Int = TestedFraming.limit) -> any MessageFraming {
        switch self {
        case .startEnd: .startEnd(limit: limit)
        case .twoBytesBig: .lengthPrefixed(.twoBytes, .bigEndian, limit: limit)
        case .twoBytesLittle: .lengthPrefixed(.twoBytes, .littleEndian, limit: limit)
        case .fourBytesBig: .lengthPrefixed(.fourBytes, .bigEndian, limit: limit)
        case .fourBytesLittle: .lengthPrefixed(.fourBytes, .littleEndian, limit: limit)
        case .cobs: .cobs(limit: limit)
        }
    }

    var testDescription: String { rawValue }
}

/// Short and long messages, and an empty one.
let sampleMessages: [Data] = [
    Data(#"{"tell":1}"#.utf8),
    Data(),
    Data(#"{"text":"Grüße, \u0002 and \u0003"}"#.utf8),
    Data(repeating: UInt8(ascii: "x"), count: TestedFraming.limit),
    Data("0".utf8),
]

extension MessageFraming {
    /// Returns the frames of the messages, one after the other.
    func stream(of messages: [Data]) throws -> Data {
        try messages.reduce(into: Data()) { try $0.append(frame($1)) }
    }
}

/// Returns the events of a framing for these chunks, in order.
func events(of framing: any MessageFraming, in chunks: Data...) -> [FramingEvent] {
    var framing = framing
    return chunks.flatMap { framing.receive($0) }
}
