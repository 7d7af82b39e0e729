// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports

/// The links, the changes of encryption, and the PDUs between our host and its controller. The
/// tests look in them for values that were sent without encryption.
struct PacketLog: Sendable {
    enum Entry: Equatable, Sendable {
        case connected
        /// Encryption was switched on. `false` means that it was switched off or could not start.
        case encrypted(Bool)
        /// A PDU on a channel, encrypted or not.
        case sent(channel: UInt16, pdu: [UInt8])
        case received(channel: UInt16, pdu: [UInt8])
    }

    /// ATT PDUs that contain the value of a characteristic (Vol 3, Part F, 3.4): responses to
    /// reads, writes, notifications and indications. Read By Type Responses are not included,
    /// because discovery uses them as well.
    static let opcodesWithValues: Set<UInt8> = [
        0x0B, 0x0D, 0x0F, 0x21, 0x12, 0x52, 0xD2, 0x16, 0x17, 0x1B, 0x1D, 0x23,
    ]

    private static let attributes: UInt16 = 0x0004

    let entries: [Entry]

    init(_ trace: Trace) throws {
        var reader = BtsnoopReader()
        reader.append(Array(try Data(contentsOf: URL(fileURLWithPath: trace.path)))[...])
        var entries: [Entry] = []
        while let record = try reader.next() {
            let isSent = record.direction == .sent
            if let entry = Entry(Array(record.packet), isSent: isSent) { entries.append(entry) }
        }
        self.entries = entries
    }

    /// The PDUs with values that either side sent without encryption.
    var valuesInClear: [Entry] {
        var isEncrypted = false
        return entries.filter { entry in
            switch entry {
            case .connected: isEncrypted = false
            case .encrypted(let isOn): isEncrypted = isOn
            case .sent(Self.attributes, let pdu), .received(Self.attributes, let pdu):
                return !isEncrypted && Self.opcodesWithValues.contains(pdu.first ?? 0)
            case .sent, .received: break
            }
            return false
        }
    }

    /// Returns whether these bytes were in a PDU of any channel without encryption.
    func hasInClear(_ bytes: [UInt8]) -> Bool {
        var isEncrypted = false
        return entries.contains { entry in
            switch entry {
            case .connected: isEncrypted = false
            case .encrypted(let isOn): isEncrypted = isOn
            case .sent(_, let pdu), .received(_, let pdu):
                return !isEncrypted && pdu.contains(bytes)
            }
            return false
        }
    }

    /// Returns the number of times that encryption has started or, with `false`, has failed.
    func countEncryptions(_ isOn: Bool) -> Int { entries.count { $0 == .encrypted(isOn) } }
}

extension PacketLog.Entry {
    /// Creates the entry of a packet; `nil` if the packet is irrelevant. If a PDU has several
    /// packets, the entry has only the first one, because the checks need only its beginning.
    fileprivate init?(_ packet: [UInt8], isSent: Bool) {
        switch packet.first {
        case 0x02:
            let isContinuation = packet.count > 2 && packet[2] >> 4 & 3 == 1
            guard packet.count >= 9, !isContinuation else { return nil }
            let channel = UInt16(packet[7]) | UInt16(packet[8]) << 8
            let pdu = Array(packet[9...])
            self =
                isSent ? .sent(channel: channel, pdu: pdu) : .received(channel: channel, pdu: pdu)
        case 0x04: self.init(event: packet)
        default: return nil
        }
    }

    private init?(event packet: [UInt8]) {
        guard packet.count > 3 else { return nil }
        switch (packet[1], packet[3]) {
        case (0x08, let status), (0x59, let status):
            self = .encrypted(status == 0 && packet.count > 6 && packet[6] != 0)
        case (0x30, let status): self = .encrypted(status == 0)
        case (0x3E, 0x01), (0x3E, 0x0A), (0x3E, 0x29): self = .connected
        default: return nil
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty, count >= bytes.count else { return false }
        return (0...count - bytes.count).contains { self[$0..<$0 + bytes.count] == bytes[...] }
    }
}
