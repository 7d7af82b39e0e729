// SPDX-License-Identifier: Apache-2.0

/// A 48-bit device address with its type. Only the two together identify a device (Vol 6, Part B,
/// 1.3).
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
    /// The type of an address: assigned by the IEEE or chosen by the device.
    public enum Kind: UInt8, Sendable {
        /// An address that is registered with the IEEE and fixed for the lifetime of the device.
        case `public` = 0x00
        /// An address that the device chose: static, or private and changing.
        case random = 0x01
    }

    /// The kind of a random address, given by its two most significant bits (Vol 6, Part B, 1.3.2).
    public enum RandomKind: Sendable {
        /// The address is fixed at least until the device restarts.
        case `static`
        /// The address changes. A device that has the identity resolving key can resolve it.
        case resolvablePrivate
        /// The address changes. No device can resolve it.
        case nonResolvablePrivate
        /// The bit pattern is reserved by the specification.
        case reserved
    }

    /// The 48 bits. The first byte of the text form is the most significant.
    public let value: UInt64

    /// The type: public or random.
    public let kind: Kind

    /// Creates an address from the low 48 bits of `value`.
    public init(value: UInt64, kind: Kind) {
        self.value = value & 0xFFFF_FFFF_FFFF
        self.kind = kind
    }

    /// Creates an address from its bytes in transmission order, least significant byte first.
    ///
    /// The initializer returns `nil` unless there are six bytes.
    public init?(littleEndian bytes: some Collection<UInt8>, kind: Kind) {
        guard bytes.count == 6 else { return nil }
        self.init(value: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }, kind: kind)
    }

    /// Creates an address from text such as `C4:F0:00:00:00:01`, or returns `nil` for any other
    /// form.
    public init?(_ text: some StringProtocol, kind: Kind) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 }),
            let bytes = [UInt8](hexadecimal: parts.joined())
        else { return nil }
        self.init(littleEndian: bytes.reversed(), kind: kind)
    }

    /// The six bytes, least significant byte first.
    public var littleEndianBytes: [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    /// The kind of random address, or `nil` for a public address.
    public var randomKind: RandomKind? {
        guard kind == .random else { return nil }
        return switch value >> 46 {
        case 0b11: .static
        case 0b01: .resolvablePrivate
        case 0b00: .nonResolvablePrivate
        default: .reserved
        }
    }

    /// Returns a new random static address: 46 random bits that are neither all zero nor all one
    /// (Vol 6, Part B, 1.3.2.1).
    public static func randomStatic(
        using generator: inout some RandomNumberGenerator
    ) -> DeviceAddress {
        let range: ClosedRange<UInt64> = 1...0x3FFF_FFFF_FFFE
        let bits = UInt64.random(in: range, using: &generator)
        return DeviceAddress(value: 0b11 << 46 | bits, kind: .random)
    }

    /// The six bytes in uppercase hexadecimal with colons, most significant byte first, without
    /// the type.
    public var description: String {
        littleEndianBytes.reversed()
            .map { [$0].hexadecimal.uppercased() }
            .joined(separator: ":")
    }
}
