// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import BluetoothValues
import HCITransports
import JSONText

/// The layers of a trace.
enum TraceLayer: String, CaseIterable, Sendable {
    /// Commands, events, and data that is not reassembled into an L2CAP PDU.
    case hci
    /// The beginnings of links, Link Layer control PDUs, and encrypted packets that cannot be
    /// decrypted. In captures only.
    case ll
    /// Signaling, and all channels except those of ATT and of the Security Manager.
    case l2cap
    /// The Attribute Protocol.
    case att
    /// The Security Manager Protocol, in hexadecimal.
    case smp
}

/// One PDU of a trace in words.
struct TraceLine: Equatable, Sendable {
    let microsecondsSince1970: Int64
    let direction: Btsnoop.Direction
    /// The connection; `nil` if the PDU has none, or several.
    let connection: ConnectionHandle?
    let layer: TraceLayer
    /// The text, safe to print.
    let text: String
    var isMalformed = false

    /// Returns the line for people, with the time since `start`.
    func text(since start: Int64) -> String {
        let (elapsed, overflow) = microsecondsSince1970.subtractingReportingOverflow(start)
        let time = overflow ? "?" : DecimalText.describe(Int(elapsed), exponent: -6)
        let padding = String(repeating: " ", count: max(0, Self.timeColumns - time.count))
        let arrow = direction == .sent ? ">" : "<"
        let link = connection?.description ?? "      "
        let name = TerminalColumns.fit(layer.rawValue, to: Self.layerColumns)
        return
            "\(padding)\(time) \(arrow) \(link) \(name) \(isMalformed ? "malformed: " : "")\(text)"
    }

    /// The line for programs.
    var json: JSON {
        .object([
            .init("microseconds", .integer(Int(microsecondsSince1970))),
            .init("direction", .string(direction == .sent ? "sent" : "received")),
            .init("connection", .integer(orNull: connection.map { Int($0.rawValue) })),
            .init("layer", .string(layer.rawValue)),
            .init("malformed", .bool(isMalformed)),
            .init("text", .string(text)),
        ])
    }

    private static let timeColumns = 12
    private static let layerColumns = 5
}

/// The filter on the lines of a trace.
struct TraceFilter: Equatable, Sendable {
    /// The connection to show; `nil` for all.
    var connection: ConnectionHandle?
    /// The layers to show; empty for all.
    var layers: Set<TraceLayer> = []

    /// Returns whether the filter shows the line.
    func admits(_ line: TraceLine) -> Bool {
        (connection == nil || line.connection == connection)
            && (layers.isEmpty || layers.contains(line.layer))
    }

    /// Parses a connection handle, decimal or hexadecimal after `0x`.
    static func connection(_ text: String) throws(ProgramFailure) -> ConnectionHandle {
        let isHexadecimal = text.lowercased().hasPrefix("0x")
        let digits = isHexadecimal ? text.dropFirst(2) : text[...]
        guard let number = UInt16(digits, radix: isHexadecimal ? 16 : 10),
            number <= ConnectionHandle.maximum.rawValue
        else {
            throw .usage(
                "'\(TerminalText.escape(text))' is not a connection handle",
                advice: "give a number from 0 to 3839, or 0x0000 to 0x0EFF"
            )
        }
        return ConnectionHandle(rawValue: number)
    }

    /// Parses the name of a layer.
    static func layer(_ text: String) throws(ProgramFailure) -> TraceLayer {
        guard let layer = TraceLayer(rawValue: text.lowercased()) else {
            let names = TraceLayer.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage(
                "'\(TerminalText.escape(text))' is not a layer",
                advice: "use one of \(names)"
            )
        }
        return layer
    }
}

/// The connection of a command or an event.
enum ConnectionOfPacket {
    /// Returns the connection; `nil` if the packet has none, or several.
    static func find(in packet: HCI.Packet) -> ConnectionHandle? {
        switch packet {
        case .acl(let packet): packet.connectionHandle
        case .command(let opcode, let parameters):
            (try? HCI.command(opcode: opcode, parameters: parameters)).flatMap(handle(in:))
        case .event(let code, let parameters):
            (try? HCI.Event(code: code, parameters: parameters)).flatMap { event in
                Mirror(reflecting: event).children.first.flatMap { handle(in: $0.value) }
            }
        case .synchronous, .isochronous: nil
        }
    }

    /// Returns the first field that is a connection handle. Reflection is slow, but it needs no
    /// code for each command and event.
    private static func handle(in value: Any) -> ConnectionHandle? {
        Mirror(reflecting: value).children.lazy.compactMap { $0.value as? ConnectionHandle }.first
    }
}
