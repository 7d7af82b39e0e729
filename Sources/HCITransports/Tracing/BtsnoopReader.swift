// SPDX-License-Identifier: Apache-2.0

/// The reason why a file cannot be read as a packet log, or cannot be read to its end.
package enum BtsnoopError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file does not start like a packet log.
    case notBtsnoop
    /// The file has an unknown version of the format.
    case unsupportedVersion(UInt32)
    /// The packets have a format other than H4.
    case unsupportedDatalink(UInt32)
    /// A record has impossible lengths, so the records after it cannot be found.
    case malformedRecord(offset: Int)
    /// The file ends within its header or within a record.
    case torn(offset: Int, missing: Int)

    package var description: String {
        switch self {
        case .notBtsnoop: "not a btsnoop file"
        case .unsupportedVersion(let version): "btsnoop version \(version); only 1 is known"
        case .unsupportedDatalink(let datalink):
            "btsnoop datalink \(datalink); only \(Btsnoop.h4Datalink) (H4) can be read"
        case .malformedRecord(let offset): "malformed record at byte \(offset)"
        case .torn(let offset, let missing):
            "truncated: the record at byte \(offset) lacks \(missing) bytes"
        }
    }
}

/// A reader that splits the bytes of a packet log into records. The bytes may arrive in fragments
/// of any size, so it can read files of any size, and follow a file that is still being written.
///
/// If the caller reads all available records after each fragment, the reader keeps at most one
/// record and the last fragment in memory. After an error, its position does not change.
package struct BtsnoopReader: Sendable {
    private var buffer: [UInt8] = []
    /// The index in `buffer` at which the next record starts.
    private var start = 0
    /// The offset in the file at which `buffer` starts.
    private var base = 0
    private var hasReadHeader = false

    package init() {}

    /// Appends the next bytes of the file.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        base += start
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
    }

    /// Returns the next record, or `nil` until more bytes are appended.
    package mutating func next() throws(BtsnoopError) -> Btsnoop.Record? {
        if !hasReadHeader {
            guard try readHeader() else { return nil }
        }
        guard let length = try lengthOfNextRecord(), available >= length else { return nil }
        defer { start += length }
        return record(length: length)
    }

    /// Throws if the file ended within its header or within a record. Call this last.
    package func finish() throws(BtsnoopError) {
        guard hasReadHeader else {
            throw .torn(offset: 0, missing: Btsnoop.headerLength - available)
        }
        guard available > 0 else { return }
        let needed = try lengthOfNextRecord() ?? Btsnoop.recordHeaderLength
        guard available >= needed else {
            throw .torn(offset: base + start, missing: needed - available)
        }
    }

    private var available: Int { buffer.count - start }

    private mutating func readHeader() throws(BtsnoopError) -> Bool {
        guard buffer.starts(with: Btsnoop.magic.prefix(buffer.count)) else { throw .notBtsnoop }
        guard available >= Btsnoop.headerLength else { return false }
        guard integer(at: 8) == Btsnoop.version else {
            throw .unsupportedVersion(integer(at: 8))
        }
        guard integer(at: 12) == Btsnoop.h4Datalink else {
            throw .unsupportedDatalink(integer(at: 12))
        }
        hasReadHeader = true
        start += Btsnoop.headerLength
        return true
    }

    /// Returns the length of the next record with its header, or `nil` if the header is incomplete.
    private func lengthOfNextRecord() throws(BtsnoopError) -> Int? {
        guard available >= Btsnoop.recordHeaderLength else { return nil }
        let original = integer(at: 0)
        let included = integer(at: 4)
        guard included <= Btsnoop.packetLengthLimit, included <= original else {
            throw .malformedRecord(offset: base + start)
        }
        return Btsnoop.recordHeaderLength + Int(included)
    }

    private func record(length: Int) -> Btsnoop.Record {
        let time = Int64(bitPattern: UInt64(integer(at: 16)) << 32 | UInt64(integer(at: 20)))
        let from = start + Btsnoop.recordHeaderLength
        var record = Btsnoop.Record(
            microsecondsSince1970: time &- Btsnoop.microsecondsAt1970,
            direction: integer(at: 8) & 1 == 0 ? .sent : .received,
            packet: buffer[from..<(start + length)]
        )
        record.originalLength = Int(integer(at: 0))
        record.droppedBefore = integer(at: 12)
        return record
    }

    private func integer(at offset: Int) -> UInt32 {
        buffer[(start + offset)..<(start + offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
