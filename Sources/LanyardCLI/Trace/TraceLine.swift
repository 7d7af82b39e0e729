// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import HCITransports
import Lanyard

/// The layers that a trace can be narrowed to.
enum TraceLayer: String, CaseIterable, Sendable {
    /// Commands and events, and data that could not be put together.
    case hci
    /// How links begin, and PDUs of the Link Layer's own; in captures only.
    case ll
    /// Signalling, and channels without a layer of their own here.
    case l2cap
    /// The Attribute Protocol.
    case att
    /// The Security Manager Protocol: in hexadecimal, since what it says are keys.
    case smp
}

/// One PDU of a trace, in words.
struct TraceLine: Equatable, Sendable {
    let microsecondsSince1970: Int64
    let direction: Btsnoop.Direction
    /// The link it belongs to; nil if to none, or to several.
    let connection: ConnectionHandle?
    let layer: TraceLayer
    /// What it says; safe to print.
    let text: String
    var isMalformed = false

    /// The line for a person; the time counts from `start`.
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

    /// The line for a program.
    var json: JSON {
        .object([
            .init("microseconds", .number(Int(microsecondsSince1970))),
            .init("direction", .string(direction == .sent ? "sent" : "received")),
            .init("connection", .number(orNull: connection.map { Int($0.rawValue) })),
            .init("layer", .string(layer.rawValue)),
            .init("malformed", .bool(isMalformed)),
            .init("text", .string(text)),
        ])
    }

    private static let timeColumns = 12
    private static let layerColumns = 5
}
