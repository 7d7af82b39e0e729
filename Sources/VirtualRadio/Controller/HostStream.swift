// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// Cuts what the host sends into packets, however it is cut on its way (Vol 4, Part A, 2).
///
/// Octets that no host would send mean that the two have lost each other: another type of packet,
/// or data longer than any controller takes. Then all is skipped up to the next HCI Reset, as
/// Vol 4, Part A, 4 has it; without that rule a wrong length would make the controller deaf for as
/// long as it takes to fill it.
struct HostStream: Sendable {
    /// What has arrived.
    enum Arrival: Equatable {
        case packet(HCI.Packet)
        /// The framing is lost; told once, until a Reset is found.
        case framingLost
    }

    private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

    /// The most octets that a data packet may claim to have, header not counted: far more than the
    /// 251 that LE has use for, so that a host which sends too much is told so by its link.
    static let dataLengthLimit = 4_096

    private var buffer: [UInt8] = []
    /// Where the first octet not yet taken is.
    private var start = 0
    private var isSearching = false

    /// Takes octets. What stays behind when `next` has returned nil is less than one packet.
    mutating func append(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
    }

    /// The next thing that has arrived; nil until there is more.
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
        /// The length of the whole packet.
        case length(Int)
    }

    private var header: Header {
        switch HCI.PacketType(rawValue: buffer[start]) {
        case .command, .synchronous: counted(at: 3) { 4 + Int(buffer[start + 3]) }
        case .acl: dataHeader
        // The two highest bits are reserved (Vol 4, Part E, 5.4.5).
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

    /// Skips all up to the next Reset. False if there is none; then the octets that could be the
    /// beginning of one stay.
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
