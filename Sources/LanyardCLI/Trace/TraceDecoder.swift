// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import HCITransports

/// A decoder of a log's packets into lines, one for each PDU. Fragments are reassembled for each
/// link and direction. The line of a PDU takes the place of its last fragment. Zeros replace the keys
/// that a log of another program, or one with exported keys, contains.
struct TraceDecoder: Sendable {
    private struct Stream: Hashable {
        let connection: ConnectionHandle
        let direction: Btsnoop.Direction
    }

    private var recombiners: [Stream: FrameRecombiner] = [:]
    private var redaction = KeyRedaction()

    /// Returns the line for a packet; `nil` for a fragment whose PDU continues.
    mutating func decode(_ record: Btsnoop.Record) -> TraceLine? {
        var record = record
        record.packet = redaction.blank(record.packet, record.direction)
        guard record.packet.count >= record.originalLength else {
            let kept = "\(record.packet.count) of \(record.originalLength) bytes kept by the log"
            return .hci(record, nil, kept, isMalformed: true)
        }
        do {
            let packet = try HCI.Packet(h4: record.packet)
            if case .acl(let fragment) = packet { return decode(fragment, of: record) }
            let connection = ConnectionOfPacket.find(in: packet)
            noteEnd(in: packet)
            return .hci(record, connection, TerminalText.escape(HCI.describe(packet)))
        } catch {
            return .hci(
                record,
                nil,
                "\(error), \(record.packet.hexadecimal)",
                isMalformed: true
            )
        }
    }

    private mutating func decode(
        _ fragment: HCI.ACLPacket,
        of record: Btsnoop.Record
    ) -> TraceLine? {
        let stream = Stream(connection: fragment.connectionHandle, direction: record.direction)
        let limit = L2CAPFrame.payloadLengthLimit
        let verdict = recombiners[stream, default: FrameRecombiner(receiveLimit: limit)]
            .receive(fragment)
        switch verdict {
        case .incomplete: return nil
        case .frame(let frame):
            return FrameText(frame).line(record, connection: fragment.connectionHandle)
        case .discarded(let reason):
            let text = "ACL data: \(reason), \(fragment.payload.hexadecimal)"
            return .hci(record, fragment.connectionHandle, text, isMalformed: true)
        }
    }

    /// Removes the state of a link that ended, because its handle can be used again.
    private mutating func noteEnd(in packet: HCI.Packet) {
        guard case .event(let code, let parameters) = packet,
            case .disconnectionComplete(let end)? =
                try? HCI.Event(code: code, parameters: parameters)
        else { return }
        for direction in [Btsnoop.Direction.sent, .received] {
            let stream = Stream(connection: end.connectionHandle, direction: direction)
            recombiners[stream] = nil
        }
    }
}

extension TraceLine {
    fileprivate static func hci(
        _ record: Btsnoop.Record,
        _ connection: ConnectionHandle?,
        _ text: String,
        isMalformed: Bool = false
    ) -> TraceLine {
        TraceLine(
            microsecondsSince1970: record.microsecondsSince1970,
            direction: record.direction,
            connection: connection,
            layer: .hci,
            text: text,
            isMalformed: isMalformed
        )
    }
}

/// The text of a complete L2CAP PDU.
private struct FrameText {
    let layer: TraceLayer
    let text: String
    let isMalformed: Bool

    init(_ frame: L2CAPFrame) {
        do {
            (layer, text) = try Self.decode(frame)
            isMalformed = false
        } catch {
            layer = Self.layer(of: frame.channel)
            text = "\(error), \(frame.payload.hexadecimal)"
            isMalformed = true
        }
    }

    func line(_ record: Btsnoop.Record, connection: ConnectionHandle) -> TraceLine {
        TraceLine(
            microsecondsSince1970: record.microsecondsSince1970,
            direction: record.direction,
            connection: connection,
            layer: layer,
            text: text,
            isMalformed: isMalformed
        )
    }

    private static func decode(_ frame: L2CAPFrame) throws -> (TraceLayer, String) {
        let layer = layer(of: frame.channel)
        switch frame.channel {
        case .att:
            return (layer, ATTText.describe(try ATT.PDU(parsing: frame.payload)))
        case .signaling:
            let packet = try Signaling.Packet(parsing: frame.payload)
            let parameters = packet.parameters.hexadecimal
            return (layer, "\(packet.code) identifier=\(packet.identifier) \(parameters)")
        case .securityManager: return (layer, frame.payload.hexadecimal)
        default: return (layer, "channel \(frame.channel): \(frame.payload.hexadecimal)")
        }
    }

    private static func layer(of channel: ChannelIdentifier) -> TraceLayer {
        switch channel {
        case .att: .att
        case .securityManager: .smp
        default: .l2cap
        }
    }
}
