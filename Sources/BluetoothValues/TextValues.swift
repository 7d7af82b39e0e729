// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

/// A characteristic value that consists of UTF-8 text.
public protocol TextValue: CharacteristicValue {
    /// The text.
    var text: String { get }

    /// Creates a value from its text.
    ///
    /// - Parameter text: The text. Its length is not checked.
    init(_ text: String)
}

extension TextValue {
    /// Decodes the remaining bytes.
    ///
    /// - Parameter reader: The reader of the bytes.
    /// - Throws: ``ValueError/invalid(field:)`` if the bytes are not UTF-8.
    public init(from reader: inout ValueReader) throws(ValueError) {
        guard let text = String(utf8: reader.readRemaining()) else {
            throw .invalid(field: "UTF-8")
        }
        self.init(text)
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { writer.append(contentsOf: Data(text.utf8)) }

    /// The text in quotation marks, with escapes for characters that cannot be printed.
    public var description: String { String(reflecting: text) }
}

/// The name of a device (Vol 3, Part C, 12.1).
public struct DeviceName: TextValue {
    /// The UUID of the characteristic, 0x2A00.
    public static let identifier: BluetoothID = "2A00"
    /// The name.
    public var text: String

    /// Creates a name.
    ///
    /// - Parameter text: The name.
    public init(_ text: String) { self.text = text }
}

/// The name of a device's manufacturer.
public struct ManufacturerName: TextValue {
    /// The UUID of the characteristic, 0x2A29.
    public static let identifier: BluetoothID = "2A29"
    /// The name.
    public var text: String

    /// Creates a name.
    ///
    /// - Parameter text: The name.
    public init(_ text: String) { self.text = text }
}

/// The model number of a device.
public struct ModelNumber: TextValue {
    /// The UUID of the characteristic, 0x2A24.
    public static let identifier: BluetoothID = "2A24"
    /// The number.
    public var text: String

    /// Creates a number.
    ///
    /// - Parameter text: The number.
    public init(_ text: String) { self.text = text }
}

/// The serial number of a device.
public struct SerialNumber: TextValue {
    /// The UUID of the characteristic, 0x2A25.
    public static let identifier: BluetoothID = "2A25"
    /// The number.
    public var text: String

    /// Creates a number.
    ///
    /// - Parameter text: The number.
    public init(_ text: String) { self.text = text }
}

/// The version of a device's firmware.
public struct FirmwareRevision: TextValue {
    /// The UUID of the characteristic, 0x2A26.
    public static let identifier: BluetoothID = "2A26"
    /// The version.
    public var text: String

    /// Creates a version.
    ///
    /// - Parameter text: The version.
    public init(_ text: String) { self.text = text }
}

/// The version of a device's hardware.
public struct HardwareRevision: TextValue {
    /// The UUID of the characteristic, 0x2A27.
    public static let identifier: BluetoothID = "2A27"
    /// The version.
    public var text: String

    /// Creates a version.
    ///
    /// - Parameter text: The version.
    public init(_ text: String) { self.text = text }
}

/// The version of a device's software.
public struct SoftwareRevision: TextValue {
    /// The UUID of the characteristic, 0x2A28.
    public static let identifier: BluetoothID = "2A28"
    /// The version.
    public var text: String

    /// Creates a version.
    ///
    /// - Parameter text: The version.
    public init(_ text: String) { self.text = text }
}
