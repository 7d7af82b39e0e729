// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The rule that every command is answered once, and that every answer has a command. The answer to
/// Reset also answers the commands before it (Vol 4, Part E, 4.4). A controller that restarts loses
/// commands, but a command that was under way at that time may still be answered. Host Number Of
/// Completed Packets is not checked, because only its refusal is answered (Vol 4, Part E, 7.3.40).
package struct CommandInvariant: Invariant {
    /// The time after which a command counts as not answered.
    package static let timeLimit = Duration.seconds(2)

    package let rule = "every command is answered once"
    private var waiting: [Command] = []

    private struct Command {
        let opcode: HCI.Opcode
        let since: Instant
        /// Whether the controller has restarted since, so that it may have lost the command.
        var isLost = false
    }

    package init() {}

    package mutating func observe(
        _ packet: HCI.Packet,
        _ direction: WireDirection,
        now: Instant
    ) -> String? {
        switch (direction, packet, packet.event) {
        case (.toController, .command(.hostNumberOfCompletedPackets, _), _): return nil
        case (.toController, .command(let opcode, _), _):
            waiting.append(Command(opcode: opcode, since: now))
            return nil
        case (.toHost, _, .commandComplete(let event)): return answered(event.opcode)
        case (.toHost, _, .commandStatus(let event)): return answered(event.opcode)
        case (.toHost, _, .hardwareError(let event))
        where event.code == HardwareErrorCode.restarted.rawValue:
            for index in waiting.indices { waiting[index].isLost = true }
            return nil
        default: return nil
        }
    }

    package mutating func finish(now: Instant) -> String? {
        let late = waiting.filter { !$0.isLost && now - $0.since >= Self.timeLimit }
        return late.isEmpty ? nil : "no answer to \(late.map(\.opcode))"
    }

    private mutating func answered(_ opcode: HCI.Opcode) -> String? {
        // An answer with opcode 0 belongs to no command. It only reports that commands may be sent.
        guard opcode.rawValue != 0, opcode != .hostNumberOfCompletedPackets else { return nil }
        let matches = waiting.indices.filter { waiting[$0].opcode == opcode }
        guard let place = matches.first(where: { !waiting[$0].isLost }) ?? matches.first else {
            return "an answer to \(opcode) without a command"
        }
        let isReset = opcode == .reset
        waiting = waiting.enumerated().filter { index, command in
            index != place && (command.isLost || !isReset || index > place)
        }.map(\.element)
        return nil
    }
}
