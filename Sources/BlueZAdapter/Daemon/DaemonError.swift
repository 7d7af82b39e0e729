// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus

/// The translation of BlueZ's errors into errors of the port. BlueZ reports an ATT error as a name
/// with an English text (src/gatt-client.c, `create_gatt_dbus_error`), and gives some different
/// errors the same name and text.
enum DaemonError {
    private static let prefix = "org.bluez.Error."

    /// Returns whether the error has this name, without `org.bluez.Error.`.
    static func isNamed(_ name: String, _ error: DBusError) -> Bool {
        if case .failed(prefix + name, _) = error { true } else { false }
    }

    /// Returns whether the daemon no longer has the object of the call.
    static func isObjectRemoved(_ error: DBusError) -> Bool {
        guard case .failed(let name, _) = error else { return false }
        return ["UnknownObject", "UnknownMethod", "UnknownInterface"]
            .contains { name == "org.freedesktop.DBus.Error." + $0 }
            || isNamed("DoesNotExist", error)
    }

    /// Returns whether the error means that the link must be encrypted or authenticated first.
    static func requiresPairing(_ error: any Error) -> Bool {
        switch error {
        case GATT.Failure.attribute(.insufficientAuthentication, _),
            GATT.Failure.attribute(.insufficientEncryption, _):
            true
        default: false
        }
    }

    /// Returns the error of an operation on an attribute.
    static func attribute(_ error: DBusError, at handle: AttributeHandle) -> any Error {
        guard case .failed(let name, let message) = error else { return port(error) }
        if let code = code(name, message) { return GATT.Failure.attribute(code, handle: handle) }
        // The object no longer exists, so the database has changed.
        if isObjectRemoved(error) {
            return GATT.Failure.attribute(.databaseOutOfSync, handle: handle)
        }
        if message == "Not connected" || name == prefix + "NotConnected" {
            return PortError.linkEnded(.unknown)
        }
        return PortError.other("\(error)")
    }

    private static func code(_ name: String, _ message: String) -> ATT.ErrorCode? {
        switch (name.dropPrefix(prefix), message) {
        case ("NotPermitted", "Write not permitted"): .writeNotPermitted
        case ("NotPermitted", "Not paired"): .insufficientAuthentication
        case ("NotPermitted", "Read not permitted"): .readNotPermitted
        case ("InvalidArguments", "Invalid offset"), ("InvalidOffset", _): .invalidOffset
        case ("InvalidArguments", _), ("InvalidValueLength", _): .invalidAttributeValueLength
        case ("NotAuthorized", _): .insufficientAuthorization
        case ("NotSupported", _): .requestNotSupported
        case ("Failed", let text): number(in: text).map { ATT.ErrorCode(rawValue: $0) }
        default: nil
        }
    }

    /// Returns the number in `Operation failed with ATT error: 0x80`.
    private static func number(in message: String) -> UInt8? {
        let words = message.split(separator: " ")
        guard let mark = words.firstIndex(of: "error:"), mark + 1 < words.count,
            words[mark + 1].hasPrefix("0x")
        else { return nil }
        return UInt8(words[mark + 1].dropFirst(2), radix: 16)
    }

    /// Returns the D-Bus error that refuses the daemon's call to read or write a published value.
    /// The daemon translates it back into an ATT error for the client (src/gatt-database.c,
    /// `dbus_error_to_att_ecode`). It can translate the codes below and those of applications. Any
    /// other code reaches the client as Unlikely Error.
    static func refusal(_ code: ATT.ErrorCode) -> (name: String, text: String) {
        let name =
            switch code {
            case .readNotPermitted, .writeNotPermitted: "NotPermitted"
            case .invalidOffset: "InvalidOffset"
            case .invalidAttributeValueLength: "InvalidValueLength"
            case .insufficientAuthorization: "NotAuthorized"
            case .requestNotSupported: "NotSupported"
            default: "Failed"
            }
        let isOfApplication = (0x80...0x9F).contains(code.rawValue)
        return (prefix + name, isOfApplication ? "0x" + String(code.rawValue, radix: 16) : "")
    }

    /// Returns the port's error for a failed call. For an operation on an attribute, use
    /// `attribute(_:at:)`.
    static func port(_ error: DBusError) -> PortError {
        switch error {
        case .disconnected, .unreachable, .notPermitted, .violation: .unavailable
        case .timedOut: .timedOut
        case .tooManyCalls: .tooManyRequests
        case .failed(prefix + "NotReady", _), .failed(prefix + "NotAvailable", _): .unavailable
        // The daemon ended before it answered.
        case .failed("org.freedesktop.DBus.Error.NoReply", _),
            .failed("org.freedesktop.DBus.Error.ServiceUnknown", _):
            .unavailable
        case .failed(prefix + "NotConnected", _): .linkEnded(.unknown)
        case .failed(prefix + "AuthenticationTimeout", _): .timedOut
        // The link was lost, or another program canceled the pairing (src/device.c,
        // `new_authentication_return`).
        case .failed(prefix + "AuthenticationCanceled", _): .linkEnded(.unknown)
        case .failed(let name, _) where name.hasPrefix(prefix + "Authentication"): .notEncrypted
        case .failed: .other("\(error)")
        }
    }

    /// Returns the reason for a disconnection (org.bluez.Device1, `Disconnected`, since BlueZ
    /// 5.83).
    static func reason(_ name: String?) -> PortError.Reason {
        switch name?.dropPrefix("org.bluez.Reason.") {
        case "Timeout": .timeout
        case "Remote": .endedByPeer
        case "Authentication": .notEncrypted
        default: .unknown
        }
    }
}

extension String {
    /// Returns the string without a prefix that it may have.
    fileprivate func dropPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
