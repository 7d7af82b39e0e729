// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// What a request or command writes, checked as a whole and not carried out yet.
struct WritePlan: Sendable {
    /// The request or command.
    let opcode: ATT.Opcode

    /// Values that the server keeps as they will be, in the order in which they were first written.
    private(set) var values: [(attribute: Attribute, value: [UInt8])] = []

    /// What is written of them.
    private(set) var kept: [GATT.WriteEntry] = []

    /// What the application has to agree to.
    private(set) var asked: [GATT.WriteEntry] = []

    init(for opcode: ATT.Opcode) {
        self.opcode = opcode
    }

    /// Adds what the application has to agree to. It knows how long its value is.
    mutating func ask(_ entry: GATT.WriteEntry) throws(Refusal) {
        guard entry.offset <= GATT.valueLengthLimit else {
            throw Refusal(.invalidOffset, entry.handle)
        }
        guard entry.offset + entry.value.count <= GATT.valueLengthLimit else {
            throw Refusal(.invalidAttributeValueLength, entry.handle)
        }
        asked.append(entry)
    }

    /// Adds a part of a value that the server keeps, which is `current` before the plan.
    ///
    /// At offset zero it is the new value, as a Write Request's is. Further on it goes over what is
    /// there, and beyond it, but not past its end (Vol 3, Part F, 3.4.6.3).
    mutating func keep(
        _ entry: GATT.WriteEntry,
        in attribute: Attribute,
        current: [UInt8]
    ) throws(Refusal) {
        let index = values.firstIndex(where: { $0.attribute.handle == entry.handle })
        let before = index.map { values[$0].value } ?? current
        guard entry.offset <= before.count else { throw Refusal(.invalidOffset, entry.handle) }
        let tail = entry.offset == 0 ? [] : before.dropFirst(entry.offset + entry.value.count)
        let after = before.prefix(entry.offset) + entry.value + tail
        guard after.count <= GATT.valueLengthLimit else {
            throw Refusal(.invalidAttributeValueLength, entry.handle)
        }
        if let index {
            values[index].value = Array(after)
        } else {
            values.append((attribute, Array(after)))
        }
        kept.append(entry)
    }
}
