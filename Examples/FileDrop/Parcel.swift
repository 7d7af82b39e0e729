// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The format of a file in a stream: a header, the content, and its checksum (8 bytes). The header
/// contains the lengths of the name and of the content (2 and 8 bytes, big-endian) and then the
/// name. The receiver answers with one byte.
struct Parcel {
    static let accepted: UInt8 = 0x06
    static let refused: UInt8 = 0x15

    let name: String
    let content: Data

    var bytes: Data {
        let nameBytes = Data(name.utf8.prefix(Int(UInt16.max)))
        return bigEndian(UInt16(nameBytes.count)) + bigEndian(UInt64(content.count)) + nameBytes
            + content + bigEndian(checksum(content))
    }
}

/// A reader that assembles a parcel from the parts of a stream.
struct ParcelReader {
    /// The maximum length of a file, in bytes.
    static let contentLimit = 64 * 1_024 * 1_024

    private static let fixedLength = 10
    private static let checksumLength = 8

    enum Progress {
        case unfinished
        case finished(Parcel)
        case broken(String)
    }

    private var received = Data()

    mutating func take(_ part: some Sequence<UInt8>) -> Progress {
        received.append(contentsOf: part)
        guard received.count >= Self.fixedLength else { return .unfinished }
        let nameLength = Int(number(at: 0..<2))
        let contentLength = number(at: 2..<10)
        guard contentLength <= UInt64(Self.contentLimit) else { return .broken("it is too large") }
        let content =
            Self.fixedLength + nameLength..<Self.fixedLength + nameLength + Int(contentLength)
        let end = content.upperBound + Self.checksumLength
        guard received.count >= end else { return .unfinished }
        guard received.count == end else {
            return .broken("the content is longer than its header says")
        }
        let parcel = Parcel(
            name: String(decoding: received[Self.fixedLength..<content.lowerBound], as: UTF8.self),
            content: received.subdata(in: content)
        )
        guard number(at: content.upperBound..<end) == checksum(parcel.content) else {
            return .broken("the checksum is wrong")
        }
        return .finished(parcel)
    }

    private func number(at place: Range<Int>) -> UInt64 {
        received[place].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Returns the FNV-1a hash, 64 bits.
private func checksum(_ data: Data) -> UInt64 {
    data.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}

private func bigEndian(_ number: some FixedWidthInteger) -> Data {
    withUnsafeBytes(of: number.bigEndian) { Data($0) }
}
