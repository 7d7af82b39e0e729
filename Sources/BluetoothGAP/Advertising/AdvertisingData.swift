// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The data of an advertisement: a sequence of structures, each with a length, a type and a value
/// (Vol 3, Part C, 11; Core Specification Supplement, Part A, 1).
///
/// The bytes are untrusted. Parsing never fails: it ends at the first structure that does not fit,
/// which `isMalformed` reports. Fields are decoded on access, so that an advertisement that is only
/// compared, counted or dropped costs little.
///
/// ```swift
/// let data = AdvertisingData([0x02, 0x01, 0x06, 0x03, 0x03, 0x0D, 0x18])
/// data.flags  // [.generalDiscoverable, .brEdrNotSupported]
/// data.serviceUUIDs  // [180D]
/// ```
public struct AdvertisingData: Sendable {
    /// The received bytes. After merging, the bytes of the advertisement and then of the scan
    /// response.
    public let bytes: [UInt8]

    /// Whether a structure is longer than the remaining bytes. The structures before it stay valid.
    public let isMalformed: Bool

    /// The end of the last well-formed structure. Padding or malformed bytes follow.
    private let significantCount: Int

    /// A digest for comparisons with earlier data of the same advertiser.
    let digest: UInt64

    /// The maximum length of a legacy advertisement or scan response (Vol 6, Part B, 2.3.1).
    public static let legacyLimit = 31

    /// The maximum length of an extended advertisement (Vol 4, Part E, 7.8.57).
    public static let extendedLimit = 1650

    /// Creates data from received bytes. All bytes are allowed.
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

    /// Reads the lengths. A length of zero ends the data, and padding follows (Vol 3, Part C, 11).
    private static func extent(of bytes: [UInt8]) -> (count: Int, isMalformed: Bool) {
        var position = 0
        while position < bytes.count, bytes[position] != 0 {
            let next = position + 1 + Int(bytes[position])
            guard next <= bytes.count else { return (position, true) }
            position = next
        }
        return (position, false)
    }

    /// Computes the FNV-1a digest, which is fast and the same in every run. A forged collision
    /// hides only data of the same address, because the digests of different addresses are not
    /// compared.
    private static func digest(of bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return hash
    }

    /// The well-formed structures in their order in the data.
    public var structures: Structures {
        Structures(remaining: bytes[..<significantCount])
    }

    /// Returns this data merged with its scan response.
    ///
    /// If both contain the same field, the field of the advertisement comes first. A response with
    /// the same bytes adds nothing.
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
    /// Returns whether both have the same bytes.
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
        /// The meaning of the value.
        public let type: DataType
        /// The bytes of the value, as received.
        public let value: ArraySlice<UInt8>
    }

    /// A single pass over the structures.
    public struct Structures: Sequence, IteratorProtocol, Sendable {
        fileprivate var remaining: ArraySlice<UInt8>

        /// Returns the next structure, or `nil` at the end.
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

    /// Returns the value of the first structure of a type.
    func firstValue(of type: DataType) -> ArraySlice<UInt8>? {
        for structure in structures where structure.type == type { return structure.value }
        return nil
    }
}
