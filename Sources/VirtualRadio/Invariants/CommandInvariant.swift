// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The rule that every command is answered once, and that every answer has a command. The answer to
/// Reset also answers the commands before it (Vol 4, Part E, 4.4).
package struct CommandInvariant: Invariant {
    /// The time after which a command counts as not answered.
    package static let patience = Duration.seconds(2)

    package let rule = "every command is answered once"
    private var waiting: [(opcode: HCI.Opcode, since: Instant)] = []

    package init() {}

    package mutating func observe(
        _ packet: HCI.Packet,
        _ direction: WireDirection,
        now: Instant
    ) -> String? {
        switch (direction, packet, packet.event) {
        case (.toController, .command(let opcode, _), _):
            waiting.append((opcode, now))
            return nil
        case (.toHost, _, .commandComplete(let event)): return answered(event.opcode)
        case (.toHost, _, .commandStatus(let event)): return answered(event.opcode)
        default: return nil
        }
    }

    package mutating func finish(now: Instant) -> String? {
        let late = waiting.filter { now - $0.since >= Self.patience }
        return late.isEmpty ? nil : "no answer to \(late.map(\.opcode))"
    }

    private mutating func answered(_ opcode: HCI.Opcode) -> String? {
        // An answer with opcode 0 belongs to no command. It only reports that commands may be sent.
        guard opcode.rawValue != 0 else { return nil }
        guard let place = waiting.firstIndex(where: { $0.opcode == opcode }) else {
            return "an answer to \(opcode) without a command"
        }
        if opcode == .reset {
            waiting.removeSubrange(...place)
        } else {
            waiting.remove(at: place)
        }
        return nil
    }
}
