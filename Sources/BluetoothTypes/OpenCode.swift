// SPDX-License-Identifier: Apache-2.0

/// A number that the specification assigns meanings to, and will assign more to: values that this
/// code has no name for are kept and printed, never refused.
public protocol OpenCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible
where RawValue: FixedWidthInteger & Sendable {
    /// Makes the code of any number, known or not.
    init(rawValue: RawValue)

    /// The names of the values that have one.
    static var names: [RawValue: String] { get }
}

extension OpenCode {
    /// The name, or `0x` and the number in hexadecimal.
    public var description: String {
        if let name = Self.names[rawValue] { return name }
        let digits = String(rawValue, radix: 16, uppercase: true)
        let width = RawValue.bitWidth / 4
        return "0x" + String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
