// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

extension NSObject {
    /// How Apple's logs show an object: `<CBService: 0x1f00d, isPrimary = YES, UUID = Battery>`; its
    /// class, where it is, and what it says of itself.
    func summary(_ details: KeyValuePairs<String, String> = [:]) -> String {
        let place = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
        let shown = details.map { ", \($0.key) = \($0.value)" }.joined()
        return "<\(type(of: self)): 0x\(place)\(shown)>"
    }
}

extension Data {
    /// How Apple's logs show octets: `{length = 2, bytes = 0x0664}`.
    var summary: String {
        "{length = \(count), bytes = 0x\([UInt8](self).hexadecimal)}"
    }
}

extension Bool {
    /// How Apple's logs show a truth value.
    var summary: String { self ? "YES" : "NO" }
}
