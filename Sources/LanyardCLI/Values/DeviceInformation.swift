// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Who made the device, and which product it is (GATT Specification Supplement).
struct PnPIdentifier: WellKnownValue {
    /// Who assigned the number of the vendor.
    enum VendorSource: UInt8, Sendable {
        case bluetooth = 1
        case usb = 2
    }

    let vendorSource: VendorSource
    let vendor: UInt16
    let product: UInt16
    let version: UInt16

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        guard let source = VendorSource(rawValue: try reader.readUInt8()) else {
            throw .invalid(field: "Vendor ID Source")
        }
        vendorSource = source
        vendor = try reader.readUInt16()
        product = try reader.readUInt16()
        version = try reader.readUInt16()
    }

    var description: String {
        "\(vendorText), product 0x\(Self.digits(product)), version \(versionText)"
    }

    private var vendorText: String {
        switch vendorSource {
        case .usb: "USB vendor 0x\(Self.digits(vendor))"
        case .bluetooth:
            AssignedNumbers.name(ofCompany: vendor) ?? "company 0x\(Self.digits(vendor))"
        }
    }

    /// The version is written in binary-coded decimal: 0x0213 is version 2.1.3.
    private var versionText: String {
        let major = String(version >> 8, radix: 16)
        return "\(major).\(version >> 4 & 0xF).\(version & 0xF)"
    }

    private static func digits(_ number: UInt16) -> String {
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)].hexadecimal
    }
}

/// A number that is the device's alone (GATT Specification Supplement).
struct SystemIdentifier: WellKnownValue {
    /// Forty bits that the maker assigned.
    let manufacturerIdentifier: UInt64
    /// Twenty-four bits that the IEEE assigned to the maker.
    let organizationIdentifier: UInt32

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        manufacturerIdentifier = try reader.readInteger(octets: 5)
        organizationIdentifier = try reader.readUInt24()
    }

    var description: String {
        let organization = Self.digits(UInt64(organizationIdentifier), octets: 3)
        let manufacturer = Self.digits(manufacturerIdentifier, octets: 5)
        return "organization \(organization), manufacturer \(manufacturer)"
    }

    private static func digits(_ number: UInt64, octets: Int) -> String {
        (0..<octets).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
            .hexadecimal
    }
}
