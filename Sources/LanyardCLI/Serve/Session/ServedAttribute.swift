// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// An attribute, as `serve` speaks of it.
struct ServedAttribute: Hashable, Sendable {
    let handle: AttributeHandle
    let uuid: BluetoothUUID
    var isDescriptor = false
    /// What the accessory itself says of it, safe to print.
    var description: String?

    /// What it is called, and where it is.
    var text: String {
        let name =
            isDescriptor
            ? AssignedNumbers.name(ofDescriptor: uuid)
            : AssignedNumbers.name(ofCharacteristic: uuid)
        return "\(name ?? description ?? uuid.description) #\(handle.rawValue)"
    }

    /// A value of it, or the part of one that begins at the offset.
    func describe(_ bytes: [UInt8], from offset: Int = 0) -> String {
        let shown = Array(bytes.prefix(Self.shownLimit))
        guard shown.count == bytes.count else {
            return "\(shown.hexadecimal)… (\(bytes.count) bytes)"
        }
        guard offset == 0 else { return ValueText.plain(bytes) }
        return isDescriptor
            ? ValueText.describe(bytes, ofDescriptor: uuid)
            : ValueText.describe(bytes, ofCharacteristic: uuid)
    }

    /// A line shows no more bytes of a value than this; `--json` shows all.
    private static let shownLimit = 32
}

extension ServedAttribute {
    /// Its members in an object.
    var members: [JSON.Member] {
        [
            .init("uuid", .string(uuid.description)),
            .init("handle", .number(Int(handle.rawValue))),
        ]
    }
}
