// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// The two ways in which a host may speak of advertising, scanning and initiating. A host that has
/// used one must not use the other until Reset (Vol 4, Part E, 3.1.1).
package enum CommandDialect: Hashable, Sendable {
    /// The commands of Bluetooth 4.
    case legacy
    /// Those with "Extended" in their names, and what belongs to them.
    case extended
}

extension ControllerSettings {
    /// Throws Command Disallowed if the host has used the other dialect.
    package func check(_ used: CommandDialect) throws(HCI.ErrorCode) {
        guard dialect == nil || dialect == used else { throw .commandDisallowed }
    }
}

extension CommandHandler {
    /// A command of one of the dialects, which the host is held to when the command succeeds.
    package static func completing<Command: CommandCompleteCommand>(
        _ command: Command.Type,
        in dialect: CommandDialect,
        _ body:
            @escaping @Sendable (
                inout VirtualController, Command, inout Ether
            ) throws(HCI.ErrorCode) -> Command.ReturnParameters
    ) -> CommandHandler {
        completing(command) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Command.ReturnParameters in
            try controller.settings.check(dialect)
            let answer = try body(&controller, command, &ether)
            controller.settings.dialect = dialect
            return answer
        }
    }

    /// A command of one of the dialects that is answered when it begins, with what the host is held
    /// to when it succeeds.
    package static func beginning<Command: CommandStatusCommand>(
        _ command: Command.Type,
        in dialect: CommandDialect,
        _ body:
            @escaping @Sendable (
                inout VirtualController, Command, inout Ether
            ) throws(HCI.ErrorCode) -> Void
    ) -> CommandHandler {
        beginning(command) { (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            try controller.settings.check(dialect)
            try body(&controller, command, &ether)
            controller.settings.dialect = dialect
        }
    }
}
