// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

/// A UUID and the width in which it is written: 2, 4 or 16 bytes.
package struct WrittenUUID: Hashable, Sendable {
    /// The number of bytes of the written UUID.
    package enum Width: Int, Sendable {
        case short16 = 2
        case short32 = 4
        case full = 16
    }

    package let value: BluetoothUUID
    package let width: Width
}

extension WrittenUUID {
    /// Creates a UUID of the smallest possible width. The UUIDs of discovered attributes have
    /// this width.
    package init(_ value: BluetoothUUID) {
        self.value = value
        width = value.short16 != nil ? .short16 : value.short32 != nil ? .short32 : .full
    }

    /// Creates a Foundation UUID in 16 bytes.
    package init(_ uuid: UUID) {
        let bytes = withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }
        value = BluetoothUUID(littleEndian: bytes.reversed()) ?? BluetoothUUID(0)
        width = .full
    }

    /// Creates a UUID from bytes, most significant byte first; `nil` if the number of bytes is not
    /// 2, 4 or 16.
    package init?(bytes: some Collection<UInt8>) {
        guard let width = Width(rawValue: bytes.count),
            let value = BluetoothUUID(littleEndian: [UInt8](bytes).reversed())
        else { return nil }
        self.value = value
        self.width = width
    }

    /// Creates a UUID from 4 or 8 hexadecimal digits, with or without `0x`, or from 32 digits with
    /// hyphens; `nil` for other text.
    package init?(text: String) {
        let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
        switch (digits.utf8.count, text.utf8.count) {
        case (4, _): width = .short16
        case (8, _): width = .short32
        case (36, 36): width = .full
        default: return nil
        }
        guard let value = BluetoothUUID(digits) else { return nil }
        self.value = value
    }

    /// The bytes in this width, most significant byte first.
    package var bytes: [UInt8] {
        switch (width, value.short32) {
        case (.short16, let short?): [UInt8](Self.bigEndian(short).suffix(2))
        case (.short32, let short?): Self.bigEndian(short)
        default: value.bytes128.reversed()
        }
    }

    /// The bytes as uppercase hexadecimal digits, with hyphens if there are 16 bytes.
    package var text: String {
        let digits = Array(bytes.hexadecimal.uppercased())
        guard width == .full else { return String(digits) }
        let bounds = [0, 8, 12, 16, 20, 32]
        return zip(bounds, bounds.dropFirst()).map { String(digits[$0..<$1]) }
            .joined(separator: "-")
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { [UInt8]($0) }
    }
}
