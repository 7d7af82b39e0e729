// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import Testing

/// The framings that there are, each for messages of up to 100 octets.
enum TestedFraming: String, CaseIterable, CustomTestStringConvertible {
    case startEnd, twoOctetsBig, twoOctetsLittle, fourOctetsBig, fourOctetsLittle, cobs

    static let limit = 100

    func make(limit: Int = TestedFraming.limit) -> any MessageFraming {
        switch self {
        case .startEnd: .startEnd(limit: limit)
        case .twoOctetsBig: .lengthPrefixed(.twoOctets, .bigEndian, limit: limit)
        case .twoOctetsLittle: .lengthPrefixed(.twoOctets, .littleEndian, limit: limit)
        case .fourOctetsBig: .lengthPrefixed(.fourOctets, .bigEndian, limit: limit)
        case .fourOctetsLittle: .lengthPrefixed(.fourOctets, .littleEndian, limit: limit)
        case .cobs: .cobs(limit: limit)
        }
    }

    var testDescription: String { rawValue }
}

/// Messages of JSON, short and long ones, and an empty one.
let sampleMessages: [Data] = [
    Data(#"{"tell":1}"#.utf8),
    Data(),
    Data(#"{"text":"Grüße, \u0002 and \u0003"}"#.utf8),
    Data(repeating: UInt8(ascii: "x"), count: TestedFraming.limit),
    Data("0".utf8),
]

extension MessageFraming {
    /// The messages' frames, one behind the other.
    func stream(of messages: [Data]) throws -> Data {
        try messages.reduce(into: Data()) { try $0.append(frame($1)) }
    }
}

/// What a framing finds in chunks, in order.
func events(of framing: any MessageFraming, in chunks: Data...) -> [FramingEvent] {
    var framing = framing
    return chunks.flatMap { framing.receive($0) }
}

extension Data {
    /// The octets of hexadecimal digits, between which there may be blanks.
    init(hex: String) {
        let digits = hex.compactMap(\.hexDigitValue)
        self.init(
            stride(from: 0, to: digits.count - 1, by: 2).map {
                UInt8(digits[$0] << 4 | digits[$0 + 1])
            }
        )
    }
}
