// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

extension CBUUID {
    /// A UUID and the width in which it was made.
    struct Form: Hashable, Sendable {
        /// How many octets show it.
        enum Width: Int, Sendable {
            case short16 = 2
            case short32 = 4
            case full = 16
        }

        let value: BluetoothUUID
        let width: Width
    }
}

extension CBUUID.Form {
    /// As short as the assigned numbers allow: what a peer's attribute is shown as.
    init(_ value: BluetoothUUID) {
        self.value = value
        width = value.short16 != nil ? .short16 : value.short32 != nil ? .short32 : .full
    }

    /// A UUID of Foundation, in full.
    init(_ uuid: UUID) {
        let octets = withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }
        value = BluetoothUUID(littleEndian: octets.reversed()) ?? BluetoothUUID(0)
        width = .full
    }

    /// From octets, the most significant first; nil unless there are 2, 4 or 16.
    init?(octets: some Collection<UInt8>) {
        guard let width = Width(rawValue: octets.count),
            let value = BluetoothUUID(littleEndian: [UInt8](octets).reversed())
        else { return nil }
        self.value = value
        self.width = width
    }

    /// From 4 or 8 digits, with or without `0x`, or from 32 with hyphens; nil for anything else.
    init?(text: String) {
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

    /// The octets in the width of the form, the most significant first.
    var octets: [UInt8] {
        switch (width, value.short32) {
        case (.short16, let short?): [UInt8](Self.bigEndian(short).suffix(2))
        case (.short32, let short?): Self.bigEndian(short)
        default: value.bytes128.reversed()
        }
    }

    /// The octets as upper-case digits, with hyphens if there are 16.
    var text: String {
        let digits = Array(octets.hexadecimal.uppercased())
        guard width == .full else { return String(digits) }
        let bounds = [0, 8, 12, 16, 20, 32]
        return zip(bounds, bounds.dropFirst()).map { String(digits[$0..<$1]) }
            .joined(separator: "-")
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { [UInt8]($0) }
    }
}
