// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The identity of an accessory, which stays the same from launch to launch, even if the address of
/// the device changes.
///
/// The store contains an identity as text: `system:` and a UUID, or `manufacturer:`, the company
/// identifier in hexadecimal, a colon and the identifier's bytes in hexadecimal.
public enum AccessoryIdentity: Hashable, Sendable {
    /// The device to which the system assigns this identifier.
    case system(UUID)
    /// The device with this identifier in its manufacturer data, whatever identifier the system
    /// assigns to it.
    case manufacturer(company: UInt16, identifier: Data)
}

extension AccessoryIdentity {
    /// Creates the identity of a discovered device. The result is `nil` if the identity comes from
    /// the manufacturer data, and that data is missing, belongs to another company, or is too short
    /// to contain the identifier.
    ///
    /// - Parameters:
    ///   - discovery: The discovery of the device.
    ///   - source: The source of the identity. An empty range, or one with a negative bound, gives
    ///     `nil`.
    public init?(of discovery: Discovery, by source: IdentitySource) {
        switch source {
        case .system:
            self = .system(discovery.identifier)
        case .manufacturerData(let company, let range):
            guard let data = discovery.manufacturerData else { return nil }
            let bytes = [UInt8](data)
            guard bytes.count >= 2, UInt16(bytes[0]) | UInt16(bytes[1]) << 8 == company,
                range.lowerBound >= 0, !range.isEmpty, range.upperBound <= bytes.count - 2
            else { return nil }
            let identifier = bytes.dropFirst(2 + range.lowerBound).prefix(range.count)
            self = .manufacturer(company: company, identifier: Data(identifier))
        }
    }
}

extension AccessoryIdentity: LosslessStringConvertible {
    /// The text of the identity.
    public var description: String {
        switch self {
        case .system(let identifier):
            "system:\(identifier.uuidString)"
        case .manufacturer(let company, let identifier):
            "manufacturer:\(Self.hexadecimal(company, digits: 4)):"
                + identifier.map { Self.hexadecimal($0, digits: 2) }.joined()
        }
    }

    /// Creates an identity from its text; `nil` if the text is not valid.
    ///
    /// - Parameter text: The text, as in ``description``.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        switch (parts.first, parts.count) {
        case ("system", 2):
            guard let identifier = UUID(uuidString: String(parts[1])) else { return nil }
            self = .system(identifier)
        case ("manufacturer", 3):
            guard parts[1].count == 4, let company = Self.number(parts[1], as: UInt16.self),
                let identifier = Self.bytes(of: parts[2])
            else { return nil }
            self = .manufacturer(company: company, identifier: identifier)
        default: return nil
        }
    }

    private static func hexadecimal(_ value: some BinaryInteger, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }

    /// Parses hexadecimal digits, without the sign that `init(_:radix:)` permits.
    private static func number<Number: FixedWidthInteger>(
        _ digits: Substring,
        as type: Number.Type
    ) -> Number? {
        digits.allSatisfy(\.isHexDigit) ? Number(digits, radix: 16) : nil
    }

    private static func bytes(of digits: Substring) -> Data? {
        guard !digits.isEmpty, digits.count.isMultiple(of: 2) else { return nil }
        var bytes = Data()
        var rest = digits
        while !rest.isEmpty {
            guard let byte = number(rest.prefix(2), as: UInt8.self) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}

extension AccessoryIdentity: Codable {
    /// Decodes the identity from its text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let identity = AccessoryIdentity(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\"\(text)\" is not an accessory's identity"
            )
        }
        self = identity
    }

    /// Encodes the identity as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
