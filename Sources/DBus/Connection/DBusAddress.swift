// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The address of a message bus ("Server Addresses"). Only Unix sockets are supported.
package enum DBusAddress: Hashable, Sendable {
    case path(String)
    /// A name of Linux's abstract namespace.
    case abstract(String)

    /// The system's bus if no variable names another one.
    package static let systemDefault = DBusAddress.path("/var/run/dbus/system_bus_socket")

    /// The variable that names the system's bus.
    package static let systemVariable = "DBUS_SYSTEM_BUS_ADDRESS"

    /// Returns the address of the system's bus; `nil` if the environment names one that is not
    /// supported.
    package static func system(in environment: [String: String]) -> DBusAddress? {
        guard let list = environment[systemVariable], !list.isEmpty else { return systemDefault }
        return DBusAddress(list: list)
    }

    /// Creates the first supported address of a list such as
    /// `unix:path=/run/bus;tcp:host=localhost`; `nil` if there is none.
    package init?(list: String) {
        guard let address = list.split(separator: ";").lazy.compactMap(Self.init(one:)).first else {
            return nil
        }
        self = address
    }

    private init?(one text: Substring) {
        guard text.hasPrefix("unix:") else { return nil }
        for pair in text.dropFirst("unix:".count).split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let value = Self.unescaped(parts[1]), !value.isEmpty else {
                continue
            }
            switch parts[0] {
            case "path":
                self = .path(value)
                return
            case "abstract":
                self = .abstract(value)
                return
            default: continue
            }
        }
        return nil
    }

    /// Replaces `%` and two hexadecimal digits by the byte; `nil` for an invalid escape, a zero
    /// byte, or bytes that are not UTF-8.
    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2,
                let value = [UInt8](
                    hexadecimal: String(decoding: rest.prefix(2), as: UTF8.self)
                )
            else { return nil }
            bytes += value
            rest = rest.dropFirst(2)
        }
        return bytes.contains(0) ? nil : String(utf8: bytes)
    }
}
