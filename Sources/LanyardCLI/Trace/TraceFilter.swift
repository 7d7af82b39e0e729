// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// Which lines of a trace are wanted.
struct TraceFilter: Equatable, Sendable {
    /// Only what belongs to this link; nil for everything.
    var connection: ConnectionHandle?
    /// Only these layers; empty for all.
    var layers: Set<TraceLayer> = []

    /// Whether the line is wanted.
    func admits(_ line: TraceLine) -> Bool {
        (connection == nil || line.connection == connection)
            && (layers.isEmpty || layers.contains(line.layer))
    }

    /// Reads the handle of a link, decimal or hexadecimal after `0x`.
    static func connection(_ text: String) throws(ProgramFailure) -> ConnectionHandle {
        let isHexadecimal = text.lowercased().hasPrefix("0x")
        let digits = isHexadecimal ? text.dropFirst(2) : text[...]
        guard let number = UInt16(digits, radix: isHexadecimal ? 16 : 10),
            number <= ConnectionHandle.maximum.rawValue
        else {
            throw .usage(
                "'\(TerminalText.escape(text))' is no connection handle",
                advice: "give a number from 0 to 3839, or 0x0000 to 0x0EFF"
            )
        }
        return ConnectionHandle(rawValue: number)
    }

    /// Reads the name of a layer.
    static func layer(_ text: String) throws(ProgramFailure) -> TraceLayer {
        guard let layer = TraceLayer(rawValue: text.lowercased()) else {
            let names = TraceLayer.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage(
                "'\(TerminalText.escape(text))' is no layer",
                advice: "there are \(names)"
            )
        }
        return layer
    }
}
