// SPDX-License-Identifier: Apache-2.0

/// A 16-, 32- or 128-bit UUID (Vol 3, Part B, 2.5.1).
///
/// A short form abbreviates a 128-bit value based on the Bluetooth Base UUID and compares equal to
/// it.
public struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// The Bluetooth Base UUID, `xxxxxxxx-0000-1000-8000-00805F9B34FB`. A short UUID takes the
    /// place of the `x` digits.
    private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    /// Creates the UUID that a 16-bit assigned number abbreviates.
    public init(_ short: UInt16) {
        self.init(short32: UInt32(short))
    }

    /// Creates the UUID that a 32-bit assigned number abbreviates.
    public init(short32: UInt32) {
        self.init(high: Self.baseHigh | UInt64(short32) << 32, low: Self.baseLow)
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a UUID from its bytes in transmission order, least significant byte first.
    ///
    /// - Parameter bytes: 2, 4 or 16 bytes. The initializer returns `nil` for any other count.
    public init?(littleEndian bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 2, 4:
            self.init(short32: UInt32(truncatingIfNeeded: Self.integer(bytes)))
        case 16:
            self.init(high: Self.integer(bytes.suffix(8)), low: Self.integer(bytes.prefix(8)))
        default: return nil
        }
    }

    /// Creates a UUID from its text.
    ///
    /// - Parameter text: 4, 8 or 32 hexadecimal digits. 32 digits may have the usual hyphens. The
    ///   initializer returns `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.map({ $0.utf8.count }) == [8, 4, 4, 4, 12],
            let bytes = [UInt8](hexadecimal: parts.joined())
        else { return nil }
        self.init(littleEndian: bytes.reversed())
    }

    /// The 16-bit assigned number, or `nil` if the UUID has no 16-bit form.
    public var short16: UInt16? {
        short32.flatMap { UInt16(exactly: $0) }
    }

    /// The 32-bit assigned number, or `nil` if the UUID has no 32-bit form.
    public var short32: UInt32? {
        guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
        return UInt32(truncatingIfNeeded: high >> 32)
    }

    /// The bytes as ATT transmits them, least significant byte first: 2 bytes for a 16-bit UUID,
    /// otherwise 16, because ATT has no 32-bit form (Vol 3, Part F, 3.2.1).
    public var attBytes: [UInt8] {
        if let short16 { return [UInt8(truncatingIfNeeded: short16), UInt8(short16 >> 8)] }
        return bytes128
    }

    /// All 16 bytes, least significant byte first.
    public var bytes128: [UInt8] {
        var writer = ByteWriter(reservingCapacity: 16)
        writer.write(low)
        writer.write(high)
        return writer.bytes
    }

    /// The UUID in uppercase hexadecimal: 4 or 8 digits for a short UUID, otherwise 32 digits with
    /// hyphens.
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
