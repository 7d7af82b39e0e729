// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A printer of the fields of any command or event by reflection, which is slow.
enum FieldPrinter {
    /// Returns `name=value` for each stored property, separated by commas.
    static func fields(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .struct else { return text(of: value) }
        return mirror.children
            .map { child in
                guard let label = child.label else { return text(of: child.value) }
                return "\(label)=\(text(of: child.value))"
            }
            .joined(separator: ", ")
    }

    private static func text(of value: Any) -> String {
        if let bytes = value as? ArraySlice<UInt8> { return bytes.hexadecimal }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { text(of: $0.value) } ?? "none"
        case .collection: return "[" + mirror.children.map(element).joined(separator: ", ") + "]"
        default: break
        }
        if let value = value as? any CustomStringConvertible { return value.description }
        return "(" + fields(of: value) + ")"
    }

    private static func element(_ child: Mirror.Child) -> String { text(of: child.value) }
}
