// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The UUID of a service or characteristic: one with 16 or 32 bits, which the Bluetooth SIG
/// assigns, or one with 128 bits. Unlike a `CBUUID`, it is `Sendable`.
///
/// ```swift
/// let heartRate: BluetoothID = "180D"
/// let lamp: BluetoothID = "4C414E59-4152-4400-A000-000000001A01"
/// ```
public struct BluetoothID: Hashable, Sendable {
    /// The shortest form of the UUID, in capital letters.
    public let text: String

    /// Creates a UUID from its text; `nil` if the text is not valid.
    ///
    /// - Parameter text: A text of 4 or 8 hexadecimal digits, or of 36 characters with hyphens, in
    ///   upper or lower case.
    public init?(_ text: String) {
        let upper = text.uppercased()
        let digits = upper.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0)
        }
        switch upper.utf8.count {
        case 4, 8:
            guard digits else { return nil }
        case 36:
            guard UUID(uuidString: upper) != nil else { return nil }
        default: return nil
        }
        self.init(shortening: upper)
    }

    /// Creates a UUID from the text of one, in any of its forms.
    package init(shortening text: String) {
        let upper = text.uppercased()
        let isShort = upper.utf8.count == 36 && upper.hasSuffix(Self.baseEnd)
        self.text = Self.withoutZeros(isShort ? String(upper.prefix(8)) : upper)
    }

    /// The end of all UUIDs that have a short form (Vol 3, Part B, 2.5.1).
    private static let baseEnd = "-0000-1000-8000-00805F9B34FB"

    /// Shortens eight digits to four if the first four are zeros.
    private static func withoutZeros(_ digits: String) -> String {
        digits.utf8.count == 8 && digits.hasPrefix("0000") ? String(digits.suffix(4)) : digits
    }
}

extension BluetoothID: ExpressibleByStringLiteral {
    /// Creates a UUID from a literal.
    ///
    /// - Parameter text: The literal, in one of the forms that ``init(_:)`` accepts.
    /// - Precondition: The literal is a UUID. Any other literal is a mistake in the program, as
    ///   with `CBUUID(string:)`.
    public init(stringLiteral text: String) {
        guard let identifier = BluetoothID(text) else {
            preconditionFailure("\"\(text)\" is not a UUID: use 4, 8 or 36 characters")
        }
        self = identifier
    }
}

extension BluetoothID: CustomStringConvertible {
    /// The text of the UUID.
    public var description: String { text }
}
