// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// The removal of keys from packets before they are logged, so that a log can be shared.
///
/// Zeros replace long-term keys, identity resolving keys, signing keys, and the values from which
/// the host computes keys. They are replaced in HCI commands and events, and in the commands of the
/// Security Manager, which are transferred as ACL data, complete or fragmented. The lengths and all
/// other bytes are unchanged, so that a dissector can decode the packets. The values that
/// applications read and write are not removed.
///
/// The type is a value. Each log has its own, which must process all packets in order.
package struct KeyRedaction: Sendable {
    private var sent: [UInt16: SecurityFrameTracker] = [:]
    private var received: [UInt16: SecurityFrameTracker] = [:]

    package init() {}

    /// Returns the H4 packet without its keys.
    package mutating func blank(
        _ packet: ArraySlice<UInt8>,
        _ direction: Btsnoop.Direction
    ) -> ArraySlice<UInt8> {
        var packet = packet
        switch packet.first {
        case H4Type.command: blankCommand(&packet)
        case H4Type.event: Self.blankEvent(&packet)
        case H4Type.data:
            switch direction {
            case .sent: Self.blankData(&packet, &sent)
            case .received: Self.blankData(&packet, &received)
            }
        default: break
        }
        return packet
    }

    // MARK: Commands and events

    /// Returns the range of the secrets in a command's parameters (Vol 4, Part E, 7.8.22 to
    /// 7.8.38).
    private static func secrets(of opcode: HCI.Opcode) -> Range<Int>? {
        switch opcode {
        // The key and the plaintext. The plaintext is included because the encryption usually
        // generates another key.
        case .leEncrypt: 0..<32
        case .leEnableEncryption: 12..<28
        case .leLongTermKeyRequestReply: 2..<18
        // Both resolving keys, the peer's and the local one.
        case .leAddDeviceToResolvingList: 7..<39
        default: nil
        }
    }

    private mutating func blankCommand(_ packet: inout ArraySlice<UInt8>) {
        guard let opcode = packet.opcode(at: 1) else { return }
        if opcode == .reset { (sent, received) = ([:], [:]) }
        if let secrets = Self.secrets(of: opcode) { packet.zero(secrets, after: 4) }
    }

    private static func blankEvent(_ packet: inout ArraySlice<UInt8>) {
        switch packet.byte(at: 1) {
        // Command Complete: the result of LE Encrypt, or random numbers, from which keys are
        // generated.
        case HCI.EventCode.commandComplete.rawValue:
            guard let opcode = packet.opcode(at: 4), opcode == .leEncrypt || opcode == .leRand
            else { return }
            packet.zero(0..<16, after: 7)
        // LE Generate DHKey Complete: the shared secret (Vol 4, Part E, 7.7.65.9).
        case HCI.EventCode.leMeta.rawValue where packet.byte(at: 3) == dhKeyComplete:
            packet.zero(0..<32, after: 5)
        default: break
        }
    }

    private static let dhKeyComplete = HCI.LESubeventCode.generateDHKeyComplete.rawValue

    // MARK: Data

    private static func blankData(
        _ packet: inout ArraySlice<UInt8>,
        _ trackers: inout [UInt16: SecurityFrameTracker]
    ) {
        guard let low = packet.byte(at: 1), let high = packet.byte(at: 2) else { return }
        // The handle has twelve bits, which bounds the size of the table.
        let handle = UInt16(high & 0x0F) << 8 | UInt16(low)
        let isContinuation = high >> 4 & 0b11 == HCI.PacketBoundary.continuing.rawValue
        // If the log has not seen the start of a frame, the content of the frame is unknown, and
        // the packet is not changed.
        var tracker = isContinuation ? trackers[handle] : SecurityFrameTracker()
        let start = packet.startIndex + 5
        guard tracker != nil, start < packet.endIndex else { return }
        tracker?.blank(&packet, from: start)
        trackers[handle] = tracker
    }
}

/// A tracker that follows one L2CAP frame over its HCI packets, and removes the key in the frame.
private struct SecurityFrameTracker: Sendable {
    /// The first bytes of the frame: its header (length and channel; Vol 3, Part A, 3.1) and the
    /// code of the Security Manager's command.
    private var head: [UInt8] = []

    private static let headLength = 5

    mutating func blank(_ packet: inout ArraySlice<UInt8>, from start: Int) {
        let missing = min(Self.headLength - head.count, packet.endIndex - start)
        head += packet[start..<(start + missing)]
        guard carriesKey else { return }
        for index in (start + missing)..<packet.endIndex { packet[index] = 0 }
    }

    /// Whether the frame is Encryption Information, Identity Information or Signing Information on
    /// the Security Manager's channel (Vol 3, Part H, 3.6.2 to 3.6.6).
    private var carriesKey: Bool {
        guard head.count == Self.headLength, head[2] == 0x06, head[3] == 0x00 else { return false }
        return [0x06, 0x08, 0x0A].contains(head[4])
    }
}

/// The first byte of a packet in H4 format (Vol 4, Part A, 2).
private enum H4Type {
    static let command: UInt8 = 0x01
    static let data: UInt8 = 0x02
    static let event: UInt8 = 0x04
}

extension ArraySlice<UInt8> {
    /// Returns the byte at this offset, or `nil` after the end.
    fileprivate func byte(at offset: Int) -> UInt8? {
        offset < count ? self[startIndex + offset] : nil
    }

    fileprivate func opcode(at offset: Int) -> HCI.Opcode? {
        guard let low = byte(at: offset), let high = byte(at: offset + 1) else { return nil }
        return HCI.Opcode(rawValue: UInt16(high) << 8 | UInt16(low))
    }

    /// Sets the existing bytes of the range to zero.
    fileprivate mutating func zero(_ range: Range<Int>, after header: Int) {
        let start = startIndex + header
        for index in range where start + index < endIndex { self[start + index] = 0 }
    }
}
