// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

/// The vendor, product and version of a device.
public struct PnPIdentifier: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A50.
    public static let identifier: BluetoothID = "2A50"

    /// The organization that assigned the vendor's number.
    public enum VendorSource: UInt8, Hashable, Sendable, CaseIterable {
        /// The Bluetooth SIG: the number is a company identifier.
        case bluetooth = 1
        /// The USB Implementers Forum.
        case usb = 2
    }

    /// The organization that assigned the vendor's number.
    public var vendorSource: VendorSource
    /// The vendor's number.
    public var vendor: UInt16
    /// The vendor's number for the product.
    public var product: UInt16
    /// The version in binary-coded decimal: 0x0213 is 2.1.3.
    public var version: UInt16

    /// Creates an identifier.
    ///
    /// - Parameters:
    ///   - vendorSource: The organization that assigned the vendor's number.
    ///   - vendor: The vendor's number.
    ///   - product: The vendor's number for the product.
    ///   - version: The version in binary-coded decimal: 0x0213 is 2.1.3.
    public init(vendorSource: VendorSource, vendor: UInt16, product: UInt16, version: UInt16) {
        self.vendorSource = vendorSource
        self.vendor = vendor
        self.product = product
        self.version = version
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        vendorSource = try reader.readCase(VendorSource.self, field: "Vendor ID Source")
        vendor = try reader.readUInt16()
        product = try reader.readUInt16()
        version = try reader.readUInt16()
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) {
        writer.write(vendorSource.rawValue, vendor, product, version)
    }

    /// The value in one line.
    public var description: String {
        let assigner = vendorSource == .usb ? "USB vendor" : "company"
        return describe(vendor: "\(assigner) 0x\(vendor.hexadecimal(digits: 4).lowercased())")
    }

    /// Returns the value in one line, with the vendor's name.
    package func describe(vendor: String) -> String {
        let product = product.hexadecimal(digits: 4).lowercased()
        return "\(vendor), product 0x\(product), version \(versionText)"
    }

    private var versionText: String {
        let major = String(version >> 8, radix: 16)
        return "\(major).\(version >> 4 & 0xF).\(version & 0xF)"
    }
}

/// The unique number of a device.
public struct SystemIdentifier: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A23.
    public static let identifier: BluetoothID = "2A23"

    /// The 40 bits that the manufacturer assigned.
    public let manufacturerIdentifier: UInt64
    /// The 24 bits that the IEEE assigned to the manufacturer.
    public let organizationIdentifier: UInt32

    /// Creates an identifier.
    ///
    /// - Parameters:
    ///   - manufacturerIdentifier: The number that the manufacturer assigned, of at most 40 bits.
    ///   - organizationIdentifier: The number that the IEEE assigned to the manufacturer, of at
    ///     most 24 bits.
    /// - Throws: ``ValueError/invalid(field:)`` if a part has too many bits.
    public init(
        manufacturerIdentifier: UInt64,
        organizationIdentifier: UInt32
    ) throws(ValueError) {
        guard manufacturerIdentifier < 1 << 40, organizationIdentifier < 1 << 24 else {
            throw .invalid(field: "System ID")
        }
        self.manufacturerIdentifier = manufacturerIdentifier
        self.organizationIdentifier = organizationIdentifier
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        manufacturerIdentifier = try reader.readInteger(bytes: 5)
        organizationIdentifier = UInt32(truncatingIfNeeded: try reader.readInteger(bytes: 3))
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) {
        writer.write(manufacturerIdentifier, bytes: 5)
        writer.write(UInt64(organizationIdentifier), bytes: 3)
    }

    /// The value in one line.
    public var description: String {
        let organization = organizationIdentifier.hexadecimal(digits: 6).lowercased()
        let manufacturer = manufacturerIdentifier.hexadecimal(digits: 10).lowercased()
        return "organization \(organization), manufacturer \(manufacturer)"
    }
}

/// The external appearance of a device (Vol 3, Part C, 12.2).
public struct Appearance: CharacteristicValue, RawRepresentable {
    /// The UUID of the characteristic, 0x2A01.
    public static let identifier: BluetoothID = "2A01"

    /// The number from the SIG's list (Assigned Numbers, 2.6).
    public var rawValue: UInt16

    /// Creates an appearance from its number.
    ///
    /// - Parameter rawValue: The number from the SIG's list (Assigned Numbers, 2.6).
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The category: the upper ten bits.
    public var category: UInt16 { rawValue >> 6 }
    /// The subcategory: the lower six bits; 0 is the generic one.
    public var subcategory: UInt16 { rawValue & 0x3F }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        rawValue = try reader.readUInt16()
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { writer.write(rawValue) }

    /// The number as text.
    public var description: String { "appearance \(rawValue)" }
}
