// SPDX-License-Identifier: Apache-2.0

/// A 48-bit device address with its type: only both together name a device (Vol 6, Part B, 1.3).
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
    /// Whether the address is assigned by the IEEE or chosen by the device.
    public enum Kind: UInt8, Sendable {
        /// Registered with the IEEE, fixed for the life of the device.
        case `public` = 0x00
        /// Chosen by the device: static, or private and changing.
        case random = 0x01
    }

    /// What a random address is, by its two most significant bits (Vol 6, Part B, 1.3.2).
    public enum RandomKind: Sendable {
        /// Fixed at least until the device restarts.
        case `static`
        /// Changes; who holds the device's identity resolving key can resolve it.
        case resolvablePrivate
        /// Changes; nobody can resolve it.
        case nonResolvablePrivate
        /// A pattern the specification reserves.
        case reserved
    }

    /// The 48 bits; the first octet of the text is the most significant.
    public let value: UInt64

    /// Public or random.
    public let kind: Kind

    /// Makes an address of the low 48 bits of `value`.
    public init(value: UInt64, kind: Kind) {
        self.value = value & 0xFFFF_FFFF_FFFF
        self.kind = kind
    }

    /// Makes an address from its six octets as they travel, least significant first; nil if there
    /// are not six.
    public init?(littleEndian bytes: some Collection<UInt8>, kind: Kind) {
        guard bytes.count == 6 else { return nil }
        self.init(value: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }, kind: kind)
    }

    /// Makes an address from text such as `C4:F0:00:00:00:01`; nil for anything else.
    public init?(_ text: some StringProtocol, kind: Kind) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 }),
            let bytes = [UInt8](hexadecimal: parts.joined())
        else { return nil }
        self.init(littleEndian: bytes.reversed(), kind: kind)
    }

    /// The six octets, least significant first.
    public var littleEndianBytes: [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    /// What kind of random address this is; nil for a public one.
    public var randomKind: RandomKind? {
        guard kind == .random else { return nil }
        return switch value >> 46 {
        case 0b11: .static
        case 0b01: .resolvablePrivate
        case 0b00: .nonResolvablePrivate
        default: .reserved
        }
    }

    /// A new random static address: 46 random bits that are neither all zero nor all one
    /// (Vol 6, Part B, 1.3.2.1).
    public static func randomStatic(
        using generator: inout some RandomNumberGenerator
    ) -> DeviceAddress {
        let range: ClosedRange<UInt64> = 1...0x3FFF_FFFF_FFFE
        let bits = UInt64.random(in: range, using: &generator)
        return DeviceAddress(value: 0b11 << 46 | bits, kind: .random)
    }

    /// Six upper-case octets with colons, most significant first, without the type.
    public var description: String {
        littleEndianBytes.reversed()
            .map { [$0].hexadecimal.uppercased() }
            .joined(separator: ":")
    }
}
