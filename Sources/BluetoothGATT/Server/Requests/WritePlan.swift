// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// The writes of a request or command that have passed the server's checks and are not executed
/// yet.
struct WritePlan: Sendable {
    let opcode: ATT.Opcode

    /// The attributes whose values are in the database, with their new values, in the order of the
    /// first write to each.
    private(set) var values: [(attribute: Attribute, value: [UInt8])] = []

    /// The entries for values in the database.
    private(set) var entriesToStore: [GATT.WriteEntry] = []

    /// The entries that the application must accept.
    private(set) var asked: [GATT.WriteEntry] = []

    init(for opcode: ATT.Opcode) {
        self.opcode = opcode
    }

    /// Adds an entry that the application must accept. The server checks only the general limit of
    /// 512 bytes. The application checks its own limit if that is less.
    mutating func ask(_ entry: GATT.WriteEntry) throws(RequestRefusal) {
        guard entry.offset <= GATT.valueLengthLimit else {
            throw RequestRefusal(.invalidOffset, entry.handle)
        }
        guard entry.offset + entry.value.count <= GATT.valueLengthLimit else {
            throw RequestRefusal(.invalidAttributeValueLength, entry.handle)
        }
        asked.append(entry)
    }

    /// Adds an entry for a value in the database. `current` is the value before this plan.
    ///
    /// At offset zero, the entry replaces the value, as a Write Request does. At a greater offset,
    /// up to the end of the value, it overwrites or extends the value (Vol 3, Part F, 3.4.6.3).
    mutating func store(
        _ entry: GATT.WriteEntry,
        in attribute: Attribute,
        current: [UInt8]
    ) throws(RequestRefusal) {
        let index = values.firstIndex(where: { $0.attribute.handle == entry.handle })
        let before = index.map { values[$0].value } ?? current
        guard entry.offset <= before.count else {
            throw RequestRefusal(.invalidOffset, entry.handle)
        }
        let after = entry.offset == 0 ? entry.value : Self.overwritten(before, with: entry)
        guard after.count <= GATT.valueLengthLimit else {
            throw RequestRefusal(.invalidAttributeValueLength, entry.handle)
        }
        if let index {
            values[index].value = after
        } else {
            values.append((attribute, after))
        }
        entriesToStore.append(entry)
    }

    /// Returns the value with the bytes of the entry in place of those at its offset.
    private static func overwritten(_ value: [UInt8], with entry: GATT.WriteEntry) -> [UInt8] {
        value.prefix(entry.offset) + entry.value
            + value.dropFirst(entry.offset + entry.value.count)
    }
}
