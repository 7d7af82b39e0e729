// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Under what the intents of a manager are kept: its role, and the identifier that the application
/// has chosen.
struct RestorationKey: Hashable, Sendable {
    enum Role: String, Sendable {
        case central
        case peripheral
    }

    let role: Role
    let identifier: String

    /// The name of the record. An identifier may be any text, a name may not: a digest stands for it.
    /// The record has the identifier itself in it, so two with the same digest are not mixed up.
    var recordName: String {
        let digits = String(Self.digest(of: identifier), radix: 16)
        return "restore-\(role.rawValue)-\(digits)"
    }

    /// FNV-1a: the same for the same text, on every machine.
    private static func digest(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
    }
}

/// The records of intents that there are, so that their number has a bound: of a program that makes
/// up another identifier at every launch, too, the latest are kept.
struct RestorationIndex: Hashable, Sendable {
    /// How many managers are remembered: fewer than the store has room for records.
    static let limit = 48

    static let recordName = "restore-index"

    /// The names of the records. What was used last is last.
    private(set) var names: [String] = []

    /// A record is used; the one that has to make room for it, if any.
    mutating func use(_ name: String) -> String? {
        names.removeAll { $0 == name }
        names.append(name)
        return names.count > Self.limit ? names.removeFirst() : nil
    }
}

// As it is kept: a list of texts.
extension RestorationIndex: Recordable {
    func write(to writer: inout ByteWriter) {
        writer.write(list: names) { $0.write(text: $1) }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        names = try reader.readList { reader throws(MalformedBytes) in try reader.readText() }
        guard names.count <= Self.limit else { throw .invalid(field: "index") }
    }
}
