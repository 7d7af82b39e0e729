// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension HCI.ErrorCode: Error {}

/// What a controller does on one command.
///
/// Each part of the controller lists its commands, `static let commands: [CommandHandler]`, and
/// `CommandTable` puts the lists together. A handler may throw the code with which the command is
/// refused; then it must have changed nothing. What it emits reaches the host after the answer.
package struct CommandHandler: Sendable {
    /// Which command.
    package let opcode: HCI.Opcode
    /// Does it, and tells how to answer.
    let perform:
        @Sendable (inout VirtualController, ArraySlice<UInt8>, inout Ether) -> HCI.Event?

    /// A command that is answered when it is done.
    package static func completing<Command: CommandCompleteCommand>(
        _ command: Command.Type,
        _ body:
            @escaping @Sendable (
                inout VirtualController, Command, inout Ether
            ) throws(HCI.ErrorCode) -> Command.ReturnParameters
    ) -> CommandHandler {
        CommandHandler(opcode: Command.opcode) { controller, parameters, ether in
            var answer: [UInt8]
            do throws(HCI.ErrorCode) {
                guard let command = try? Command(parsing: parameters) else {
                    throw .invalidCommandParameters
                }
                answer = [0] + (try body(&controller, command, &ether)).encodedParameters
            } catch {
                answer = [error.rawValue]
            }
            return .commandComplete(
                HCI.CommandComplete(
                    allowedPackets: 1,
                    opcode: Command.opcode,
                    returnParameters: answer[...]
                )
            )
        }
    }

    /// A command without anything to return.
    package static func completing<Command: CommandCompleteCommand>(
        _ command: Command.Type,
        _ body:
            @escaping @Sendable (
                inout VirtualController, Command, inout Ether
            ) throws(HCI.ErrorCode) -> Void
    ) -> CommandHandler where Command.ReturnParameters == HCI.NoReturnParameters {
        completing(command) {
            (controller, command, ether) throws(HCI.ErrorCode) -> HCI.NoReturnParameters in
            try body(&controller, command, &ether)
            return HCI.NoReturnParameters()
        }
    }

    /// A command that is answered when it begins.
    package static func beginning<Command: CommandStatusCommand>(
        _ command: Command.Type,
        _ body:
            @escaping @Sendable (
                inout VirtualController, Command, inout Ether
            ) throws(HCI.ErrorCode) -> Void
    ) -> CommandHandler {
        CommandHandler(opcode: Command.opcode) { controller, parameters, ether in
            var status = HCI.ErrorCode.success
            do throws(HCI.ErrorCode) {
                guard let command = try? Command(parsing: parameters) else {
                    throw .invalidCommandParameters
                }
                try body(&controller, command, &ether)
            } catch {
                status = error
            }
            return .commandStatus(
                HCI.CommandStatus(status: status, allowedPackets: 1, opcode: Command.opcode)
            )
        }
    }
}
