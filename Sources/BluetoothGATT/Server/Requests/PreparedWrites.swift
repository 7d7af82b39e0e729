// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The prepared writes of a client on all its bearers, in the order of their arrival
/// (Vol 3, Part F, 3.4.6).
struct PreparedWrites: Sendable {
    /// A stored part of a value.
    struct Part: Sendable {
        let entry: GATT.WriteEntry
        /// The type of the attribute. If the handle later belongs to an attribute of another type,
        /// the part is not written.
        let type: BluetoothUUID
    }

    private(set) var parts: [Part] = []
    private(set) var bytes = 0

    mutating func append(_ part: Part) {
        parts.append(part)
        bytes += part.entry.value.count
    }

    /// The values to write. Consecutive parts of one value are combined.
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
    /// Returns both entries as one, or `nil` if `next` does not start at the end of this entry. An
    /// entry at offset zero is always a separate value.
    fileprivate func continued(by next: GATT.WriteEntry) -> GATT.WriteEntry? {
        guard next.handle == handle, next.offset > 0, next.offset == offset + value.count else {
            return nil
        }
        return GATT.WriteEntry(handle: handle, offset: offset, value: value + next.value)
    }
}
