// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothTypes
import Foundation

extension NSObject {
    /// Returns the text that Apple's logs show for an object: its class, address and details, as in
    /// `<CBService: 0x1f00d, isPrimary = YES, UUID = Battery>`.
    ///
    /// - Parameter separator: The text between the address and the details.
    func summary(
        _ details: KeyValuePairs<String, String> = [:],
        afterAddress separator: String = ", "
    ) -> String {
        let shown = details.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
        let tail = details.isEmpty ? "" : separator + shown
        return "<\(type(of: self)): \(Misuse.address(self))\(tail)>"
    }
}

extension Array where Element: NSObject {
    /// The text that Apple's logs show for an array, with a quoted line for each object.
    var summary: String {
        let lines = map { object in
            let text = object.description
                .replacingOccurrences(of: "\\", with: "\\\\")
                .replacingOccurrences(of: "\"", with: "\\\"")
                .replacingOccurrences(of: "\n", with: "\\n")
            return "    \"\(text)\""
        }
        return lines.isEmpty ? "(\n)" : "(\n\(lines.joined(separator: ",\n"))\n)"
    }
}

extension CBAttribute {
    /// The class, address and UUID, for log lines.
    var logName: String { "\(Misuse.name(self)) \(uuid)" }
}

extension Data {
    /// The text that Apple's logs show for data, as in `{length = 2, bytes = 0x0664}`.
    var summary: String {
        "{length = \(count), bytes = 0x\([UInt8](self).hexadecimal)}"
    }
}

extension Bool {
    /// The text that Apple's logs show for a Boolean value.
    var summary: String { self ? "YES" : "NO" }
}
