// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The key of a manager's intents: its role, and the restore identifier that the application chose.
struct RestorationKey: Hashable, Sendable {
    enum Role: String, Sendable {
        case central
        case peripheral
    }

    let role: Role
    let identifier: String

    /// The name of the record. It contains a digest, because an identifier may be any text and the
    /// name of a record may not. The record contains the identifier itself: the record
    /// of another identifier with the same digest is refused.
    var recordName: String {
        let digits = String(Self.digest(of: identifier), radix: 16)
        return "restore-\(role.rawValue)-\(digits)"
    }

    /// Returns the FNV-1a hash, which is the same on every machine.
    private static func digest(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
    }
}

/// The list of intents records, which bounds their number: if an application uses a new identifier
/// at every launch, only the latest records are kept.
struct RestorationIndex: Hashable, Sendable {
    /// The maximum number of managers. Lower than the number of records that the store can hold.
    static let limit = 48

    static let recordName = "restore-index"

    /// The names of the records, with the one used last at the end.
    private(set) var names: [String] = []

    /// Marks a record as the one used last. Returns the record that has to be deleted for it, if
    /// any.
    mutating func use(_ name: String) -> String? {
        names.removeAll { $0 == name }
        names.append(name)
        return names.count > Self.limit ? names.removeFirst() : nil
    }
}

// The stored form: a list of texts.
extension RestorationIndex: Recordable {
    func write(to writer: inout ByteWriter) {
        names.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        names = try reader.read()
        guard names.count <= Self.limit else { throw .invalid(field: "index") }
    }
}
