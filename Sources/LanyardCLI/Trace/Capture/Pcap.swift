// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A packet capture in the pcap format, of either byte order, with times in microseconds or
/// nanoseconds.
struct Pcap {
    /// One packet of the file.
    struct Record {
        let microseconds: Int64
        let bytes: ArraySlice<UInt8>
    }

    /// The reason why a file is not a capture, or is truncated.
    enum Failure: Error, Equatable {
        case notPcap
        case unknownLinkType(UInt32)
        case torn(offset: Int)
    }

    /// The Link Layer header types of pcap (tcpdump.org/linktypes.html).
    enum LinkType: UInt32 {
        /// Link Layer packets from the access address to the CRC.
        case linkLayer = 251
        /// Link Layer packets after a header of ten bytes from the sniffer.
        case linkLayerWithHeader = 256
    }

    static let headerLength = 24
    private static let recordHeaderLength = 16

    let linkType: LinkType
    private let bytes: [UInt8]
    private let isBigEndian: Bool
    private let hasNanoseconds: Bool
    private var offset = Self.headerLength

    /// Returns whether bytes begin with the header of a pcap file.
    static func isPcap(_ bytes: some Collection<UInt8>) -> Bool { magic(bytes) != nil }

    init(_ bytes: [UInt8]) throws(Failure) {
        guard let magic = Self.magic(bytes), bytes.count >= Self.headerLength else {
            throw .notPcap
        }
        self.bytes = bytes
        (isBigEndian, hasNanoseconds) = magic
        let number = Self.read(bytes[20..<24], magic.isBigEndian)
        guard let linkType = LinkType(rawValue: number & 0x0FFF_FFFF) else {
            throw .unknownLinkType(number)
        }
        self.linkType = linkType
    }

    /// Returns the next packet; `nil` at the end of the file.
    mutating func next() throws(Failure) -> Record? {
        guard offset < bytes.count else { return nil }
        guard bytes.count - offset >= Self.recordHeaderLength else { throw .torn(offset: offset) }
        let seconds = field(0)
        let fraction = Int64(field(4))
        let length = Int(field(8))
        let start = offset + Self.recordHeaderLength
        guard bytes.count - start >= length else { throw .torn(offset: offset) }
        offset = start + length
        return Record(
            microseconds: Int64(seconds) * 1_000_000
                + (hasNanoseconds ? fraction / 1_000 : fraction),
            bytes: bytes[start..<offset]
        )
    }

    private func field(_ place: Int) -> UInt32 {
        Self.read(bytes[offset + place..<offset + place + 4], isBigEndian)
    }

    private static func read(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> UInt32 {
        (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func magic(
        _ bytes: some Collection<UInt8>
    ) -> (isBigEndian: Bool, hasNanoseconds: Bool)? {
        switch Array(bytes.prefix(4)) {
        case [0xD4, 0xC3, 0xB2, 0xA1]: (false, false)
        case [0xA1, 0xB2, 0xC3, 0xD4]: (true, false)
        case [0x4D, 0x3C, 0xB2, 0xA1]: (false, true)
        case [0xA1, 0xB2, 0x3C, 0x4D]: (true, true)
        default: nil
        }
    }
}
