// SPDX-License-Identifier: Apache-2.0

/// A 16-, 32- or 128-bit UUID (Vol 3, Part B, 2.5.1).
///
/// The short forms stand for 128-bit values on the Bluetooth base UUID, and compare equal to them.
public struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// `xxxxxxxx-0000-1000-8000-00805F9B34FB`: the value on which short UUIDs stand.
    private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    /// Makes the UUID that a 16-bit assigned number stands for.
    public init(_ short: UInt16) {
        self.init(short32: UInt32(short))
    }

    /// Makes the UUID that a 32-bit assigned number stands for.
    public init(short32: UInt32) {
        self.init(high: Self.baseHigh | UInt64(short32) << 32, low: Self.baseLow)
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes a UUID from its octets as they travel (least significant first): 2, 4 or 16 of them,
    /// otherwise nil.
    public init?(littleEndian bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 2, 4:
            self.init(short32: UInt32(truncatingIfNeeded: Self.integer(bytes)))
        case 16:
            self.init(high: Self.integer(bytes.suffix(8)), low: Self.integer(bytes.prefix(8)))
        default: return nil
        }
    }

    /// Makes a UUID from its text: 4, 8 or 32 hexadecimal digits, the last with or without the
    /// usual hyphens; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.map({ $0.utf8.count }) == [8, 4, 4, 4, 12],
            let bytes = [UInt8](hexadecimal: parts.joined())
        else { return nil }
        self.init(littleEndian: bytes.reversed())
    }

    /// The 16-bit assigned number, where there is one.
    public var short16: UInt16? {
        short32.flatMap { UInt16(exactly: $0) }
    }

    /// The 32-bit assigned number, where there is one.
    public var short32: UInt32? {
        guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
        return UInt32(truncatingIfNeeded: high >> 32)
    }

    /// The octets as ATT carries them, least significant first: 2 for a 16-bit UUID, otherwise 16,
    /// since ATT has no 32-bit form (Vol 3, Part F, 3.2.1).
    public var attBytes: [UInt8] {
        if let short16 { return [UInt8(truncatingIfNeeded: short16), UInt8(short16 >> 8)] }
        return bytes128
    }

    /// All 16 octets, least significant first.
    public var bytes128: [UInt8] {
        var writer = ByteWriter(reservingCapacity: 16)
        writer.write(low)
        writer.write(high)
        return writer.bytes
    }

    /// Upper-case hexadecimal: 4 or 8 digits for a short UUID, otherwise 32 with hyphens.
    public var description: String {
        if let short16 { return Self.digits(UInt64(short16), count: 4) }
        if let short32 { return Self.digits(UInt64(short32), count: 8) }
        return [
            Self.digits(high >> 32, count: 8), Self.digits(high >> 16, count: 4),
            Self.digits(high, count: 4), Self.digits(low >> 48, count: 4),
            Self.digits(low, count: 12),
        ].joined(separator: "-")
    }

    private static func integer(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func digits(_ value: UInt64, count: Int) -> String {
        let kept = count == 16 ? value : value & (1 << UInt64(4 * count) - 1)
        let text = String(kept, radix: 16, uppercase: true)
        return String(repeating: "0", count: count - text.count) + text
    }
}
