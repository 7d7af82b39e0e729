// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What an advertiser says about itself: a row of structures, each a length, a type and a value
/// (Vol 3, Part C, 11; Core Specification Supplement, Part A, 1).
///
/// The bytes come from strangers. Reading never fails: structures are read up to the first one that
/// does not fit, `isMalformed` says whether there was such a one, and a field whose value has the
/// wrong length reads as absent. Nothing is decoded before it is asked for, so that an advertisement
/// which is only compared, counted or dropped costs nothing more.
///
/// ```swift
/// let data = AdvertisingData([0x02, 0x01, 0x06, 0x03, 0x03, 0x0D, 0x18])
/// data.flags  // [.generalDiscoverable, .brEdrNotSupported]
/// data.serviceUUIDs  // [180D]
/// ```
public struct AdvertisingData: Sendable {
    /// The bytes as they arrived. After merging: those of the advertisement, then those of the scan
    /// response.
    public let bytes: [UInt8]

    /// Whether a structure claimed more bytes than there were; what came before it is kept.
    public let isMalformed: Bool

    /// Where the last well-formed structure ends: what follows is padding or malformed.
    private let significantCount: Int

    /// Stands for the bytes in a comparison with what the same advertiser said before.
    let digest: UInt64

    /// The most that a legacy advertisement or scan response carries (Vol 6, Part B, 2.3.1).
    public static let legacyLimit = 31

    /// The most that an extended advertisement carries (Vol 4, Part E, 7.8.57).
    public static let extendedLimit = 1650

    /// Reads data as it arrived; any bytes do.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        (significantCount, isMalformed) = Self.extent(of: bytes)
        digest = Self.digest(of: bytes)
    }

    private init(bytes: [UInt8], significantCount: Int, isMalformed: Bool) {
        self.bytes = bytes
        self.significantCount = significantCount
        self.isMalformed = isMalformed
        digest = Self.digest(of: bytes)
    }

    /// Walks the lengths. A length of zero ends the data early; the rest is padding
    /// (Vol 3, Part C, 11).
    private static func extent(of bytes: [UInt8]) -> (count: Int, isMalformed: Bool) {
        var position = 0
        while position < bytes.count, bytes[position] != 0 {
            let next = position + 1 + Int(bytes[position])
            guard next <= bytes.count else { return (position, true) }
            position = next
        }
        return (position, false)
    }

    /// FNV-1a: quick, and the same in every run. Whoever forges a collision hides nobody's data but
    /// their own, since digests are only compared with those of the same address.
    private static func digest(of bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return hash
    }

    /// The well-formed structures in the order in which they were sent.
    public var structures: Structures {
        Structures(remaining: bytes[..<significantCount])
    }

    /// This advertisement together with the scan response that belongs to it.
    ///
    /// Where both have the same field, the advertisement's comes first. A response that repeats the
    /// advertisement word for word adds nothing.
    public func merging(scanResponse: AdvertisingData) -> AdvertisingData {
        guard scanResponse.bytes != bytes, scanResponse.significantCount > 0 else { return self }
        let kept = bytes[..<significantCount] + scanResponse.bytes
        return AdvertisingData(
            bytes: Array(kept),
            significantCount: significantCount + scanResponse.significantCount,
            isMalformed: isMalformed || scanResponse.isMalformed
        )
    }
}

extension AdvertisingData: Equatable, Hashable {
    /// Whether both carry the same bytes.
    public static func == (left: AdvertisingData, right: AdvertisingData) -> Bool {
        left.bytes == right.bytes
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }
}

extension AdvertisingData {
    /// One length-type-value structure, without its length.
    public struct Structure: Hashable, Sendable {
        /// What the value means.
        public let type: DataType
        /// The value's bytes, as they travelled.
        public let value: ArraySlice<UInt8>
    }

    /// A single pass over the structures.
    public struct Structures: Sequence, IteratorProtocol, Sendable {
        fileprivate var remaining: ArraySlice<UInt8>

        /// The next structure; nil at the end.
        public mutating func next() -> Structure? {
            guard let length = remaining.first, length > 0 else { return nil }
            let type = remaining.startIndex + 1
            let end = type + Int(length)
            guard end <= remaining.endIndex else { return nil }
            defer { remaining = remaining[end...] }
            return Structure(
                type: DataType(rawValue: remaining[type]),
                value: remaining[(type + 1)..<end]
            )
        }
    }

    /// The value of the first structure of a type.
    func firstValue(of type: DataType) -> ArraySlice<UInt8>? {
        for structure in structures where structure.type == type { return structure.value }
        return nil
    }
}
