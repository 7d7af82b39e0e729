// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// A buffer that divides the bytes from RootCanal's Link Layer port into packets.
///
/// Before each packet, there are four bytes with its length, the least significant first.
struct RootCanalDeframer: Sendable {
    /// The maximum length of a packet, in bytes. The longest packet is one with data: 15 bytes for
    /// the type, the two addresses and the two flags, and then the data of the longest ACL packet.
    static let packetLimit = 15 + 0xFFFF

    /// The error of a stream that does not consist of packets. No packet can be found after it.
    struct LengthError: Error, Equatable {
        let length: Int
    }

    private var buffer: [UInt8] = []
    /// The index of the first byte that is not yet returned in a packet.
    private var start = 0

    /// The number of bytes that are not yet returned in a packet.
    var waitingCount: Int { buffer.count - start }

    /// Appends bytes that arrived.
    mutating func append(_ bytes: some Collection<UInt8>) {
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
    }

    /// Returns the next packet; `nil` if it is not complete.
    ///
    /// - Throws: ``LengthError`` if a packet is longer than `packetLimit`.
    mutating func next() throws(LengthError) -> [UInt8]? {
        guard waitingCount >= 4 else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(buffer[start + $1]) << (8 * $1) }
        guard length <= Self.packetLimit else { throw LengthError(length: length) }
        guard waitingCount >= 4 + length else { return nil }
        defer { start += 4 + length }
        return Array(buffer[start + 4..<start + 4 + length])
    }
}

extension RootCanalPacket {
    /// The length of the packet, followed by its bytes.
    var framedBytes: [UInt8] {
        let bytes = bytes
        return (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes
    }
}
