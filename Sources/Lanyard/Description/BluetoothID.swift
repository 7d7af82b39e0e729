// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// What a service or a characteristic is: a UUID of the Bluetooth SIG's with 16 or 32 bits, or one of
/// anybody's with 128. Unlike a `CBUUID` it can go from one task to another.
///
/// ```swift
/// let heartRate: BluetoothID = "180D"
/// let lamp: BluetoothID = "4C414E59-4152-4400-A000-000000001A01"
/// ```
public struct BluetoothID: Hashable, Sendable {
    /// The shortest text that means it, in capital letters.
    public let text: String

    /// What a text means: 4 or 8 hexadecimal digits, or 36 characters with hyphens, in letters of any
    /// case. Nil for any other.
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
        self.init(CBUUID(string: upper))
    }

    /// The same as Core Bluetooth has it.
    public init(_ uuid: CBUUID) {
        let long = uuid.uuidString.uppercased()
        guard long.utf8.count == 36, long.hasSuffix(Self.baseEnd) else {
            text = Self.withoutZeros(long)
            return
        }
        text = Self.withoutZeros(String(long.prefix(8)))
    }

    /// How the UUIDs end that have a short form (Vol 3, Part B, 2.5.1).
    private static let baseEnd = "-0000-1000-8000-00805F9B34FB"

    /// Eight digits of which the first four say nothing are as good as four.
    private static func withoutZeros(_ digits: String) -> String {
        digits.utf8.count == 8 && digits.hasPrefix("0000") ? String(digits.suffix(4)) : digits
    }

    /// For Core Bluetooth.
    public var cbuuid: CBUUID { CBUUID(string: text) }
}

extension BluetoothID: ExpressibleByStringLiteral {
    /// Traps if the literal is none: that is a mistake in the program, as with `CBUUID(string:)`.
    public init(stringLiteral text: String) {
        guard let identifier = BluetoothID(text) else {
            preconditionFailure("\"\(text)\" is no UUID: 4, 8 or 36 characters are")
        }
        self = identifier
    }
}

extension BluetoothID: CustomStringConvertible {
    /// Its text.
    public var description: String { text }
}
