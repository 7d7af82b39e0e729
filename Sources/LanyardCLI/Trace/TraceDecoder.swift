// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import HCITransports

/// A decoder of a log's packets into lines, one for each PDU. Fragments are reassembled for each
/// link and direction. The line of a PDU takes the place of its last fragment. Zeros replace the
/// keys that a log of another program, or one with exported keys, contains.
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
            return TraceLine(record, nil, kept, isMalformed: true)
        }
        do {
            let packet = try HCI.Packet(h4: record.packet)
            if case .acl(let fragment) = packet { return decode(fragment, of: record) }
            let connection = ConnectionOfPacket.find(in: packet)
            noteEnd(in: packet)
            return TraceLine(record, connection, TerminalText.escape(HCI.describe(packet)))
        } catch {
            return TraceLine(
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
            return TraceLine(record, fragment.connectionHandle, frame)
        case .discarded(let reason):
            let text = "ACL data: \(reason), \(fragment.payload.hexadecimal)"
            return TraceLine(record, fragment.connectionHandle, text, isMalformed: true)
        }
    }

    /// Removes the state of a link that ended, because its handle can be used again.
    private mutating func noteEnd(in packet: HCI.Packet) {
        guard case .event(let code, let parameters) = packet,
            case .disconnectionComplete(let end)? =
                try? HCI.Event(code: code, parameters: parameters)
        else { return }
        forget(end.connectionHandle)
    }

    /// Removes the state of the link that had this handle.
    mutating func forget(_ connection: ConnectionHandle) {
        for direction in [Btsnoop.Direction.sent, .received] {
            recombiners[Stream(connection: connection, direction: direction)] = nil
        }
    }
}

extension TraceLine {
    fileprivate init(
        _ record: Btsnoop.Record,
        _ connection: ConnectionHandle?,
        _ text: String,
        layer: TraceLayer = .hci,
        isMalformed: Bool = false
    ) {
        self.init(
            microsecondsSince1970: record.microsecondsSince1970,
            direction: record.direction,
            connection: connection,
            layer: layer,
            text: text,
            isMalformed: isMalformed
        )
    }

    /// Creates the line of a complete L2CAP PDU.
    fileprivate init(
        _ record: Btsnoop.Record,
        _ connection: ConnectionHandle,
        _ frame: L2CAPFrame
    ) {
        let layer: TraceLayer =
            switch frame.channel {
            case .att: .att
            case .securityManager: .smp
            default: .l2cap
            }
        do {
            self.init(record, connection, try Self.describe(frame), layer: layer)
        } catch {
            let text = "\(error), \(frame.payload.hexadecimal)"
            self.init(record, connection, text, layer: layer, isMalformed: true)
        }
    }

    private static func describe(_ frame: L2CAPFrame) throws -> String {
        switch frame.channel {
        case .att: return ATTText.describe(try ATT.PDU(parsing: frame.payload))
        case .signaling:
            let packet = try Signaling.Packet(parsing: frame.payload)
            let parameters = packet.parameters.hexadecimal
            return "\(packet.code) identifier=\(packet.identifier) \(parameters)"
        case .securityManager: return frame.payload.hexadecimal
        default: return "channel \(frame.channel): \(frame.payload.hexadecimal)"
        }
    }
}
