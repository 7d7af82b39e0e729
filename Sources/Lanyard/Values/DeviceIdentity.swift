// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Who made a device, and which product it is.
public struct PnPIdentifier: CharacteristicValue {
    /// 0x2A50.
    public static let identifier: BluetoothID = "2A50"

    /// Who assigned the number of the vendor.
    public enum VendorSource: UInt8, Hashable, Sendable, CaseIterable {
        /// The Bluetooth SIG: it is a company's number.
        case bluetooth = 1
        /// The USB Implementer's Forum.
        case usb = 2
    }

    /// Who assigned the number of the vendor.
    public var vendorSource: VendorSource
    /// The number of the vendor.
    public var vendor: UInt16
    /// The vendor's number for the product.
    public var product: UInt16
    /// The version, in binary-coded decimal: 0x0213 is 2.1.3.
    public var version: UInt16

    /// A product.
    public init(vendorSource: VendorSource, vendor: UInt16, product: UInt16, version: UInt16) {
        self.vendorSource = vendorSource
        self.vendor = vendor
        self.product = product
        self.version = version
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        vendorSource = try reader.readCase(VendorSource.self, field: "Vendor ID Source")
        vendor = try reader.readUInt16()
        product = try reader.readUInt16()
        version = try reader.readUInt16()
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) {
        writer.write(vendorSource.rawValue, vendor, product, version)
    }

    /// On one line.
    public var description: String {
        let assigner = vendorSource == .usb ? "USB vendor" : "company"
        return describe(vendor: "\(assigner) 0x\(HexText.digits(UInt64(vendor), octets: 2))")
    }

    /// On one line, where it is known how the vendor is called.
    package func describe(vendor: String) -> String {
        let product = HexText.digits(UInt64(product), octets: 2)
        return "\(vendor), product 0x\(product), version \(versionText)"
    }

    private var versionText: String {
        let major = String(version >> 8, radix: 16)
        return "\(major).\(version >> 4 & 0xF).\(version & 0xF)"
    }
}

/// A number that is a device's alone.
public struct SystemIdentifier: CharacteristicValue {
    /// 0x2A23.
    public static let identifier: BluetoothID = "2A23"

    /// Forty bits that the maker assigned.
    public let manufacturerIdentifier: UInt64
    /// Twenty-four bits that the IEEE assigned to the maker.
    public let organizationIdentifier: UInt32

    /// A number.
    /// - Throws: `invalid` if a part has more bits than belong to it.
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

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        manufacturerIdentifier = try reader.readInteger(octets: 5)
        organizationIdentifier = UInt32(truncatingIfNeeded: try reader.readInteger(octets: 3))
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) {
        writer.write(manufacturerIdentifier, octets: 5)
        writer.write(UInt64(organizationIdentifier), octets: 3)
    }

    /// On one line.
    public var description: String {
        let organization = HexText.digits(UInt64(organizationIdentifier), octets: 3)
        let manufacturer = HexText.digits(manufacturerIdentifier, octets: 5)
        return "organization \(organization), manufacturer \(manufacturer)"
    }
}

/// What a device looks like (Vol 3, Part C, 12.2).
public struct Appearance: CharacteristicValue, RawRepresentable {
    /// 0x2A01.
    public static let identifier: BluetoothID = "2A01"

    /// A number of the SIG's (Assigned Numbers, 2.6).
    public var rawValue: UInt16

    /// A number of the SIG's.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// What kind of thing it is: the upper ten bits.
    public var category: UInt16 { rawValue >> 6 }
    /// Which of its kind: the lower six bits; 0 says nothing.
    public var subcategory: UInt16 { rawValue & 0x3F }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        rawValue = try reader.readUInt16()
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { writer.write(rawValue) }

    /// By its number.
    public var description: String { "appearance \(rawValue)" }
}

/// Numbers in hexadecimal.
enum HexText {
    /// With all the digits that so many octets have.
    static func digits(_ number: UInt64, octets: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, octets * 2 - text.count)) + text
    }
}
