// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The value of a characteristic that is text: all of it, in UTF-8.
public protocol TextValue: CharacteristicValue {
    /// The text.
    var text: String { get }

    /// The text.
    init(_ text: String)
}

extension TextValue {
    /// Reads all that is left.
    /// - Throws: `invalid` if it is not UTF-8.
    public init(from reader: inout ValueReader) throws(ValueError) {
        guard let text = String(validating: reader.readRemaining(), as: UTF8.self) else {
            throw .invalid(field: "UTF-8")
        }
        self.init(text)
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { writer.append(contentsOf: Data(text.utf8)) }

    /// The text in quotation marks; what cannot be printed is escaped.
    public var description: String { String(reflecting: text) }
}

/// What a device calls itself (Vol 3, Part C, 12.1).
public struct DeviceName: TextValue {
    /// 0x2A00.
    public static let identifier: BluetoothID = "2A00"
    /// The name.
    public var text: String

    /// The name.
    public init(_ text: String) { self.text = text }
}

/// Who made a device.
public struct ManufacturerName: TextValue {
    /// 0x2A29.
    public static let identifier: BluetoothID = "2A29"
    /// The name.
    public var text: String

    /// The name.
    public init(_ text: String) { self.text = text }
}

/// Which model a device is.
public struct ModelNumber: TextValue {
    /// 0x2A24.
    public static let identifier: BluetoothID = "2A24"
    /// The number.
    public var text: String

    /// The number.
    public init(_ text: String) { self.text = text }
}

/// Which one of its model a device is.
public struct SerialNumber: TextValue {
    /// 0x2A25.
    public static let identifier: BluetoothID = "2A25"
    /// The number.
    public var text: String

    /// The number.
    public init(_ text: String) { self.text = text }
}

/// The version of a device's firmware.
public struct FirmwareRevision: TextValue {
    /// 0x2A26.
    public static let identifier: BluetoothID = "2A26"
    /// The version.
    public var text: String

    /// The version.
    public init(_ text: String) { self.text = text }
}

/// The version of a device's hardware.
public struct HardwareRevision: TextValue {
    /// 0x2A27.
    public static let identifier: BluetoothID = "2A27"
    /// The version.
    public var text: String

    /// The version.
    public init(_ text: String) { self.text = text }
}

/// The version of a device's software.
public struct SoftwareRevision: TextValue {
    /// 0x2A28.
    public static let identifier: BluetoothID = "2A28"
    /// The version.
    public var text: String

    /// The version.
    public init(_ text: String) { self.text = text }
}
