// SPDX-License-Identifier: Apache-2.0

extension Journal {
    /// Returns a record with its length and its checksum.
    static func encode(_ record: JournalRecord) -> [UInt8] {
        var body: [UInt8] = []
        switch record {
        case .message(let number, let message):
            body.append(UInt8(1))
            body.append(number)
            body.append(message.kind.rawValue)
            body.append(UInt8(message.isRetained ? 1 : 0))
            body.append(text: message.topic)
            body.append(text: message.payload)
            body.append(optional: message.correlation)
        case .finished(let number):
            body.append(UInt8(2))
            body.append(number)
        case .accepted(let command):
            body.append(UInt8(3))
            body.append(text: command.key.accessory)
            body.append(text: command.key.id)
            body.append(text: command.topic)
            body.append(optional: command.correlation)
        case .answered(let key):
            body.append(UInt8(4))
            body.append(text: key.accessory)
            body.append(text: key.id)
        case .next(let number):
            body.append(UInt8(5))
            body.append(number)
        }
        var bytes: [UInt8] = []
        bytes.append(UInt32(body.count))
        bytes.append(checksum(body))
        return bytes + body
    }

    /// Reads records up to the first that is cut off or damaged.
    ///
    /// - Returns: The records, and the number of bytes that they take.
    static func read(_ bytes: [UInt8]) -> (records: [JournalRecord], end: Int) {
        var records: [JournalRecord] = []
        var end = 0
        while true {
            var reader = RecordReader(bytes[end...])
            guard let length = reader.number(UInt32.self), length <= recordLimit,
                let sum = reader.number(UInt32.self), let body = reader.bytes(Int(length)),
                sum == checksum(body), let record = decode(body)
            else { return (records, end) }
            records.append(record)
            end += 8 + Int(length)
        }
    }

    private static func decode(_ body: ArraySlice<UInt8>) -> JournalRecord? {
        var reader = RecordReader(body)
        let record: JournalRecord
        switch reader.number(UInt8.self) {
        case 1:
            guard let number = reader.number(UInt64.self),
                let kind = reader.number(UInt8.self).flatMap(FleetMessage.Kind.init),
                let isRetained = reader.number(UInt8.self), let topic = reader.text(),
                let payload = reader.text(), let correlation = reader.optional()
            else { return nil }
            record = .message(
                number,
                FleetMessage(
                    kind: kind,
                    topic: topic,
                    payload: payload,
                    isRetained: isRetained == 1,
                    correlation: correlation
                )
            )
        case 2:
            guard let number = reader.number(UInt64.self) else { return nil }
            record = .finished(number)
        case 3:
            guard let accessory = reader.text(), let id = reader.text(), let topic = reader.text(),
                let correlation = reader.optional()
            else { return nil }
            record = .accepted(
                AcceptedCommand(
                    key: .init(accessory: accessory, id: id),
                    topic: topic,
                    correlation: correlation
                )
            )
        case 4:
            guard let accessory = reader.text(), let id = reader.text() else { return nil }
            record = .answered(.init(accessory: accessory, id: id))
        case 5:
            guard let number = reader.number(UInt64.self) else { return nil }
            record = .next(number)
        default: return nil
        }
        return reader.isAtEnd ? record : nil
    }

    /// Returns the FNV-1a hash. It finds records that a crash cut off, not those that were forged.
    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}

/// A reader of the fields of a record.
private struct RecordReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        bytes(Number.bitWidth / 8).map { bytes in
            bytes.reversed().reduce(0) { Number(truncatingIfNeeded: UInt64($0) << 8) | Number($1) }
        }
    }

    mutating func text() -> String? {
        guard let length = number(UInt32.self), let bytes = bytes(Int(length)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Returns the field. The inner optional is `nil` if the field is absent, and the outer one if
    /// the record is malformed.
    mutating func optional() -> [UInt8]?? {
        switch number(UInt8.self) {
        case 0: return .some(nil)
        case 1:
            guard let length = number(UInt32.self) else { return nil }
            return bytes(Int(length)).map { .some([UInt8]($0)) }
        default: return nil
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(text: String) {
        append(UInt32(text.utf8.count))
        append(contentsOf: text.utf8)
    }

    fileprivate mutating func append(optional bytes: [UInt8]?) {
        append(bytes == nil ? UInt8(0) : UInt8(1))
        guard let bytes else { return }
        append(UInt32(bytes.count))
        append(contentsOf: bytes)
    }
}
