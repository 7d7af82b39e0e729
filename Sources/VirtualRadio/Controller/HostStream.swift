// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// A buffer that divides the bytes from the host into packets, whatever pieces the transport
/// delivers (Vol 4, Part A, 2).
///
/// Synchronization is lost at an unknown packet type, a packet that cannot be parsed, or ACL data
/// longer than `dataLengthLimit`. The controller then skips all bytes up to the next HCI Reset, as
/// Vol 4, Part A, 4 requires.
struct HostStream: Sendable {
    /// The next element of the stream.
    enum Arrival: Equatable {
        case packet(HCI.Packet)
        /// Synchronization is lost. This is reported once, until a Reset is found.
        case framingLost
    }

    private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

    /// The maximum length in the header of an ACL packet, in bytes. It is far above the 251 that LE
    /// uses, so that a host that sends somewhat too much gets Data Buffer Overflow instead of
    /// losing synchronization.
    static let dataLengthLimit = 4_096

    private var buffer: [UInt8] = []
    /// The place of the first byte that was not yet taken.
    private var start = 0
    private var isSearching = false

    /// Appends bytes. After `next` has returned `nil`, less than one packet remains in the buffer.
    mutating func append(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
    }

    /// Returns the next element; `nil` until more bytes arrive.
    mutating func next() -> Arrival? {
        if isSearching, !findReset() { return nil }
        guard start < buffer.count else { return nil }
        switch header {
        case .incomplete: return nil
        case .impossible: return lose()
        case .length(let length):
            guard buffer.count - start >= length else { return nil }
            guard let packet = try? HCI.Packet(h4: buffer[start..<(start + length)]) else {
                return lose()
            }
            start += length
            return .packet(packet)
        }
    }

    private mutating func lose() -> Arrival {
        isSearching = true
        return .framingLost
    }

    private enum Header {
        case incomplete
        case impossible
        /// The length of the whole packet, in bytes.
        case length(Int)
    }

    private var header: Header {
        switch HCI.PacketType(rawValue: buffer[start]) {
        case .command, .synchronous: counted(at: 3) { 4 + Int(buffer[start + 3]) }
        case .acl: dataHeader
        // The two highest bits of the length are reserved (Vol 4, Part E, 5.4.5).
        case .isochronous: counted(at: 4) { 5 + length16 & 0x3FFF }
        default: .impossible
        }
    }

    private var dataHeader: Header {
        guard buffer.count - start > 4 else { return .incomplete }
        return length16 > Self.dataLengthLimit ? .impossible : .length(5 + length16)
    }

    private func counted(at offset: Int, _ length: () -> Int) -> Header {
        buffer.count - start > offset ? .length(length()) : .incomplete
    }

    private var length16: Int { Int(buffer[start + 3]) | Int(buffer[start + 4]) << 8 }

    /// Skips all bytes up to the next Reset.
    ///
    /// - Returns: `false` if there is none. Then the last bytes stay, because they may be the
    ///   beginning of a Reset.
    private mutating func findReset() -> Bool {
        while buffer.count - start >= Self.reset.count {
            if buffer[start..<(start + Self.reset.count)].elementsEqual(Self.reset) {
                isSearching = false
                return true
            }
            start += 1
        }
        return false
    }
}
