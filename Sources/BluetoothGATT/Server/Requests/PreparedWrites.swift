// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The writes that a client has prepared on one bearer, in the order in which they came
/// (Vol 3, Part F, 3.4.6).
struct PreparedWrites: Sendable {
    /// A part of a value that waits.
    struct Part: Sendable {
        let entry: GATT.WriteEntry
        /// The type of the attribute: whatever may have its handle later is not what was meant.
        let type: BluetoothUUID
    }

    private(set) var parts: [Part] = []
    private(set) var octets = 0

    mutating func append(_ part: Part) {
        parts.append(part)
        octets += part.entry.value.count
    }

    /// What is to be written; parts that follow upon each other in one value are one.
    var entries: [GATT.WriteEntry] {
        var entries: [GATT.WriteEntry] = []
        for part in parts {
            if let last = entries.last, let whole = last.continued(by: part.entry) {
                entries[entries.count - 1] = whole
            } else {
                entries.append(part.entry)
            }
        }
        return entries
    }
}

extension GATT.WriteEntry {
    /// Both in one; nil if `next` does not begin where this ends. What begins at zero is a value
    /// of its own.
    fileprivate func continued(by next: GATT.WriteEntry) -> GATT.WriteEntry? {
        guard next.handle == handle, next.offset > 0, next.offset == offset + value.count else {
            return nil
        }
        return GATT.WriteEntry(handle: handle, offset: offset, value: value + next.value)
    }
}
