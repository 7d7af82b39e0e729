// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// The family of advertising, scanning and initiating commands that a host uses. After a command of
/// one family has succeeded, the controller refuses the other family until Reset (Vol 4, Part E,
/// 3.1.1).
package enum CommandFamily: Sendable {
    /// The commands of Bluetooth 4.0.
    case legacy
    /// The commands of extended advertising.
    case extended
}

extension CommandHandler {
    /// Returns the handler of a command of one family that is answered with Command Status when it
    /// begins. If the command succeeds, the host is bound to that family.
    static func beginning<Command: CommandStatusCommand>(
        _ command: Command.Type,
        in family: CommandFamily,
        _ body:
            @escaping @Sendable (
                inout VirtualController, Command, inout Ether
            ) throws(HCI.ErrorCode) -> Void
    ) -> CommandHandler {
        beginning(command) { (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            try family.requireUse(by: controller)
            try body(&controller, command, &ether)
            controller.settings.commandFamily = family
        }
    }

    /// Returns the handler of a command of one family that is answered with Command Complete. If
    /// the command succeeds, the host is bound to that family.
    static func completing<Command: CommandCompleteCommand>(
        _ command: Command.Type,
        in family: CommandFamily,
        _ body:
            @escaping @Sendable (
                inout VirtualController, Command, inout Ether
            ) throws(HCI.ErrorCode) -> Command.ReturnParameters
    ) -> CommandHandler {
        completing(command) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Command.ReturnParameters in
            try family.requireUse(by: controller)
            let answer = try body(&controller, command, &ether)
            controller.settings.commandFamily = family
            return answer
        }
    }
}

extension CommandFamily {
    /// Throws Command Disallowed if the host has used the other family.
    fileprivate func requireUse(by controller: VirtualController) throws(HCI.ErrorCode) {
        guard controller.settings.commandFamily ?? self == self else {
            throw .commandDisallowed
        }
    }
}
