// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The writes of a request or command that have passed the server's checks and are not executed
/// yet.
struct WritePlan: Sendable {
    /// The new value of an attribute. If the handle later belongs to an attribute of another type,
    /// the value is not written.
    struct NewValue: Sendable {
        let handle: AttributeHandle
        let type: BluetoothUUID
        fileprivate(set) var bytes: [UInt8]
    }

    let opcode: ATT.Opcode

    /// All entries of the request or command.
    let entries: [GATT.WriteEntry]

    /// The new values that the server writes by itself, in the order of the first entry for each.
    private(set) var values: [NewValue] = []

    /// The entries that the application must accept.
    private(set) var asked: [GATT.WriteEntry] = []

    init(for opcode: ATT.Opcode, _ entries: [GATT.WriteEntry]) {
        self.opcode = opcode
        self.entries = entries
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

    /// Adds an entry for a value that the server writes by itself. `current` is the value before this
    /// plan.
    ///
    /// At offset zero, the entry replaces the value, as a Write Request does. At a greater offset,
    /// up to the end of the value, it overwrites or extends the value (Vol 3, Part F, 3.4.6.3).
    mutating func store(
        _ entry: GATT.WriteEntry,
        in attribute: Attribute,
        current: [UInt8]
    ) throws(RequestRefusal) {
        let index = values.firstIndex(where: { $0.handle == entry.handle })
        let before = index.map { values[$0].bytes } ?? current
        guard entry.offset <= before.count else {
            throw RequestRefusal(.invalidOffset, entry.handle)
        }
        let after = entry.offset == 0 ? entry.value : Self.overwritten(before, with: entry)
        guard after.count <= GATT.valueLengthLimit else {
            throw RequestRefusal(.invalidAttributeValueLength, entry.handle)
        }
        if let index {
            values[index].bytes = after
        } else {
            values.append(NewValue(handle: entry.handle, type: attribute.type, bytes: after))
        }
    }

    /// Returns the value with the bytes of the entry in place of those at its offset.
    private static func overwritten(_ value: [UInt8], with entry: GATT.WriteEntry) -> [UInt8] {
        value.prefix(entry.offset) + entry.value
            + value.dropFirst(entry.offset + entry.value.count)
    }
}
