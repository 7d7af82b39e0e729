// SPDX-License-Identifier: Apache-2.0

/// A number to which the specification assigns meanings, and to which later versions may assign
/// more.
///
/// A value without a name here is kept and printed, never refused.
public protocol OpenCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible
where RawValue: FixedWidthInteger & Sendable {
    /// Creates a code from any number, known or unknown.
    init(rawValue: RawValue)

    /// The names of the known values.
    static var names: [RawValue: String] { get }
}

extension OpenCode {
    /// The name, or `0x` and the number in hexadecimal if it has no name.
    public var description: String {
        if let name = Self.names[rawValue] { return name }
        return "0x" + rawValue.hexadecimal(digits: RawValue.bitWidth / 4)
    }
}
