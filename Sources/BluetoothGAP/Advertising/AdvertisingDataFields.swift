// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension AdvertisingData {
    /// The complete name of the device, or else the shortened name, or `nil` without either.
    ///
    /// Bytes that are not valid UTF-8 become replacement characters. The text is untrusted: escape
    /// it before it reaches a terminal.
    public var localName: String? {
        completeLocalName ?? shortenedLocalName
    }

    /// The complete name, or `nil` if the data does not contain it.
    public var completeLocalName: String? {
        firstValue(of: .completeLocalName).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The shortened name, or `nil` if the data does not contain it.
    public var shortenedLocalName: String? {
        firstValue(of: .shortenedLocalName).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Discoverability and BR/EDR support, or `nil` if the data does not contain them. Bytes after
    /// the first are reserved.
    public var flags: Flags? {
        firstValue(of: .flags)?.first.map(Flags.init)
    }

    /// The transmit power in dBm, or `nil` if the data does not contain it.
    public var txPowerLevel: Int? {
        guard let value = firstValue(of: .txPowerLevel), value.count == 1 else { return nil }
        return value.first.map { Int(Int8(bitPattern: $0)) }
    }

    /// The appearance of the device, whose upper ten bits are the category (Assigned Numbers, 2.6),
    /// or `nil` if the data does not contain it.
    public var appearance: UInt16? {
        integer(of: .appearance, bytes: 2...2).map { UInt16(truncatingIfNeeded: $0) }
    }

    /// The roles of the device, or `nil` if the data does not contain them.
    public var role: Role? {
        integer(of: .role, bytes: 1...1).map { Role(rawValue: UInt8(truncatingIfNeeded: $0)) }
    }

    /// The connection intervals that the peripheral prefers. `nil` if they are missing or invalid,
    /// or if the peripheral has no preference for one of the limits.
    public var peripheralConnectionIntervalRange: ClosedRange<Duration>? {
        guard
            let both = integer(of: .peripheralConnectionIntervalRange, bytes: 4...4),
            case let (minimum, maximum) = (both & 0xFFFF, both >> 16),
            minimum >= 0x0006, maximum <= 0x0C80, minimum <= maximum
        else { return nil }
        return .microseconds(1250 * minimum) ... .microseconds(1250 * maximum)
    }

    /// The advertising interval, or `nil` if the data does not contain it.
    public var advertisingInterval: Duration? {
        let units =
            integer(of: .advertisingInterval, bytes: 2...2)
            ?? integer(of: .advertisingIntervalLong, bytes: 3...4)
        return units.map { .microseconds(625 * $0) }
    }

    /// The address in the data, which may differ from the address on the air; `nil` if there is
    /// none.
    public var deviceAddress: DeviceAddress? {
        guard let value = firstValue(of: .deviceAddress), value.count == 7, let kind = value.last
        else { return nil }
        return DeviceAddress(
            littleEndian: value.dropLast(),
            kind: kind & 0x01 == 0 ? .public : .random
        )
    }

    /// The addresses of the devices that the advertisement is intended for.
    public var targetAddresses: [DeviceAddress] {
        addresses(of: .publicTargetAddress, kind: .public)
            + addresses(of: .randomTargetAddress, kind: .random)
    }

    /// The first eight bytes of the Link Layer features (Vol 6, Part B, 4.6), or `nil` if the data
    /// does not contain them.
    public var supportedFeatures: UInt64? {
        guard let value = firstValue(of: .supportedFeatures) else { return nil }
        return Self.integer(value.prefix(8))
    }

    /// The URI with its full scheme, or `nil` if there is none or its scheme is unknown.
    public var uri: String? {
        guard let value = firstValue(of: .uri) else { return nil }
        let text = String(decoding: value, as: UTF8.self)
        guard let scheme = text.unicodeScalars.first.flatMap({ Self.uriSchemes[$0.value] })
        else { return nil }
        return scheme + String(String.UnicodeScalarView(text.unicodeScalars.dropFirst()))
    }

    /// The abbreviations of the schemes that devices use (Assigned Numbers, 2.7).
    private static let uriSchemes: [UInt32: String] = [
        0x01: "", 0x09: "coap:", 0x0A: "coaps:", 0x0C: "data:", 0x11: "ftp:", 0x12: "geo:",
        0x16: "http:", 0x17: "https:", 0x26: "mailto:", 0x3E: "sms:", 0x45: "tel:", 0x4E: "urn:",
    ]

    private func addresses(of type: DataType, kind: DeviceAddress.Kind) -> [DeviceAddress] {
        structures.filter { $0.type == type }.flatMap { structure in
            structure.value.chunks(of: 6).compactMap { DeviceAddress(littleEndian: $0, kind: kind) }
        }
    }

    private func integer(of type: DataType, bytes: ClosedRange<Int>) -> UInt64? {
        guard let value = firstValue(of: type), bytes.contains(value.count) else { return nil }
        return Self.integer(value)
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension AdvertisingData {
    /// Discoverability and BR/EDR support (Supplement, Part A, 1.3).
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits in the data.
        public let rawValue: UInt8

        /// Creates flags from any bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The device is discoverable for a limited time.
        public static let limitedDiscoverable = Flags(rawValue: 0x01)
        /// The device is discoverable while it advertises.
        public static let generalDiscoverable = Flags(rawValue: 0x02)
        /// The device is LE only.
        public static let brEdrNotSupported = Flags(rawValue: 0x04)
        /// The controller can hold LE and BR/EDR links to the same device at once.
        public static let simultaneousLEAndBREDR = Flags(rawValue: 0x08)
    }

    /// The roles of the device (Supplement, Part A, 1.17).
    public struct Role: OpenCode {
        /// The number in the data.
        public let rawValue: UInt8

        /// Creates a role from any number.
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
    /// Returns the chunks of `length` elements, without a shorter last chunk.
    func chunks(of length: Int) -> [ArraySlice] {
        stride(from: startIndex, through: endIndex - length, by: length)
            .map { self[$0..<($0 + length)] }
    }
}
