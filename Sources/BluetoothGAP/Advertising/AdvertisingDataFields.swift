// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension AdvertisingData {
    /// The device's name: the complete one, or else the shortened one; nil if neither was sent.
    ///
    /// Bytes that are no UTF-8 become replacement characters. The text is a stranger's: escape it
    /// before it reaches a terminal.
    public var localName: String? {
        completeLocalName ?? shortenedLocalName
    }

    /// The name, if it was sent in full.
    public var completeLocalName: String? {
        firstValue(of: .completeLocalName).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The beginning of the name, if it was sent shortened.
    public var shortenedLocalName: String? {
        firstValue(of: .shortenedLocalName).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Discoverability and BR/EDR support; nil if not sent. Octets beyond the first are reserved.
    public var flags: Flags? {
        firstValue(of: .flags)?.first.map(Flags.init)
    }

    /// The power at which the packet was sent, in dBm.
    public var txPowerLevel: Int? {
        guard let value = firstValue(of: .txPowerLevel), value.count == 1 else { return nil }
        return value.first.map { Int(Int8(bitPattern: $0)) }
    }

    /// What the device looks like (Assigned Numbers, 2.6: category in the upper ten bits).
    public var appearance: UInt16? {
        integer(of: .appearance, octets: 2...2).map { UInt16(truncatingIfNeeded: $0) }
    }

    /// The roles the device plays.
    public var role: Role? {
        integer(of: .role, octets: 1...1).map { Role(rawValue: UInt8(truncatingIfNeeded: $0)) }
    }

    /// The connection intervals that the Peripheral would like; nil if it did not say, or has no
    /// preference for one of the ends, or says something impossible.
    public var peripheralConnectionIntervalRange: ClosedRange<Duration>? {
        guard
            let both = integer(of: .peripheralConnectionIntervalRange, octets: 4...4),
            case let (minimum, maximum) = (both & 0xFFFF, both >> 16),
            minimum >= 0x0006, maximum <= 0x0C80, minimum <= maximum
        else { return nil }
        return .microseconds(1250 * minimum) ... .microseconds(1250 * maximum)
    }

    /// How often the device says it advertises.
    public var advertisingInterval: Duration? {
        let units =
            integer(of: .advertisingInterval, octets: 2...2)
            ?? integer(of: .advertisingIntervalLong, octets: 3...4)
        return units.map { .microseconds(625 * $0) }
    }

    /// The address that the device states in its data (not the one it advertised with).
    public var deviceAddress: DeviceAddress? {
        guard let value = firstValue(of: .deviceAddress), value.count == 7, let kind = value.last
        else { return nil }
        return DeviceAddress(
            littleEndian: value.dropLast(),
            kind: kind & 0x01 == 0 ? .public : .random
        )
    }

    /// Those for whom the advertisement is meant.
    public var targetAddresses: [DeviceAddress] {
        addresses(of: .publicTargetAddress, kind: .public)
            + addresses(of: .randomTargetAddress, kind: .random)
    }

    /// The link layer features (Vol 6, Part B, 4.6), the first eight octets of them.
    public var supportedFeatures: UInt64? {
        guard let value = firstValue(of: .supportedFeatures) else { return nil }
        return Self.integer(value.prefix(8))
    }

    /// The resource the device points to, with its scheme spelt out where this table knows it;
    /// nil if there is none, or its scheme is not known here.
    public var uri: String? {
        guard let value = firstValue(of: .uri) else { return nil }
        let text = String(decoding: value, as: UTF8.self)
        guard let scheme = text.unicodeScalars.first.flatMap({ Self.uriSchemes[$0.value] })
        else { return nil }
        return scheme + String(String.UnicodeScalarView(text.unicodeScalars.dropFirst()))
    }

    /// The abbreviations for schemes that devices in the field use (Assigned Numbers, 2.7).
    private static let uriSchemes: [UInt32: String] = [
        0x01: "", 0x09: "coap:", 0x0A: "coaps:", 0x0C: "data:", 0x11: "ftp:", 0x12: "geo:",
        0x16: "http:", 0x17: "https:", 0x26: "mailto:", 0x3E: "sms:", 0x45: "tel:", 0x4E: "urn:",
    ]

    private func addresses(of type: DataType, kind: DeviceAddress.Kind) -> [DeviceAddress] {
        structures.filter { $0.type == type }.flatMap { structure in
            structure.value.chunks(of: 6).compactMap { DeviceAddress(littleEndian: $0, kind: kind) }
        }
    }

    private func integer(of type: DataType, octets: ClosedRange<Int>) -> UInt64? {
        guard let value = firstValue(of: type), octets.contains(value.count) else { return nil }
        return Self.integer(value)
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension AdvertisingData {
    /// Discoverability, and what is known about BR/EDR (Supplement, Part A, 1.3).
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits on the wire.
        public let rawValue: UInt8

        /// Makes flags of any bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Discoverable for a short while.
        public static let limitedDiscoverable = Flags(rawValue: 0x01)
        /// Discoverable for as long as it advertises.
        public static let generalDiscoverable = Flags(rawValue: 0x02)
        /// The device is LE only.
        public static let brEdrNotSupported = Flags(rawValue: 0x04)
        /// The controller can hold LE and BR/EDR links to the same device at once.
        public static let simultaneousLEAndBREDR = Flags(rawValue: 0x08)
    }

    /// Which roles the device plays (Supplement, Part A, 1.17).
    public struct Role: OpenCode {
        /// The number on the wire.
        public let rawValue: UInt8

        /// Makes the role of any number, known or not.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The names of the roles.
        public static let names: [UInt8: String] = [
            0x00: "only Peripheral", 0x01: "only Central",
            0x02: "Peripheral preferred", 0x03: "Central preferred",
        ]
    }
}

extension ArraySlice {
    /// The whole chunks of `length` elements; a shorter rest is left out.
    func chunks(of length: Int) -> [ArraySlice] {
        stride(from: startIndex, through: endIndex - length, by: length)
            .map { self[$0..<($0 + length)] }
    }
}
