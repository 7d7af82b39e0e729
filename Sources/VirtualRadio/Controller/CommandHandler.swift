// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension HCI.ErrorCode: Error {}

/// The implementation of one command.
///
/// Each part of the controller has static lists of handlers, which `CommandTable` joins. A handler
/// may throw the error code with which the controller refuses the command. It must not have changed
/// anything before it throws, unless the specification requires the change. Events that a handler
/// emits reach the host after the answer.
package struct CommandHandler: Sendable {
    /// The opcode of the command.
    package let opcode: HCI.Opcode
    /// Performs the command and returns the event that answers it; `nil` for a command without an
    /// answer.
    let perform: @Sendable (inout VirtualController, ArraySlice<UInt8>, inout Ether) -> HCI.Event?

    /// Returns the handler of a command that is answered with Command Complete.
    package static func completing<Command: CommandCompleteCommand>(
        _ command: Command.Type,
        _ body:
            @escaping @Sendable (
                inout VirtualController, Command, inout Ether
            ) throws(HCI.ErrorCode) -> Command.ReturnParameters
    ) -> CommandHandler {
        let refusal = RefusedAnswer(Command.ReturnParameters.self)
        return CommandHandler(opcode: Command.opcode) { controller, parameters, ether in
            var answer: [UInt8]
            do throws(HCI.ErrorCode) {
                let command = try Command.received(parameters)
                answer = [0] + (try body(&controller, command, &ether)).encodedParameters
            } catch {
                answer = refusal.returnParameters(error, to: parameters)
            }
            return .completed(Command.opcode, answer)
        }
    }

    /// Returns the handler of a command that is answered with Command Complete and has no return
    /// parameters except the status.
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

    /// Returns the handler of a command that is answered with Command Status when it begins.
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
                try body(&controller, try Command.received(parameters), &ether)
            } catch {
                status = error
            }
            return .begun(Command.opcode, status)
        }
    }

    /// Returns the handler of a command that is answered, with Command Complete, only if it is
    /// refused (Vol 4, Part E, 7.3.40).
    package static func answeringRefusals<Command: HCICommand>(
        _ command: Command.Type,
        _ body:
            @escaping @Sendable (
                inout VirtualController, Command, inout Ether
            ) throws(HCI.ErrorCode) -> Void
    ) -> CommandHandler {
        CommandHandler(opcode: Command.opcode) { controller, parameters, ether in
            do throws(HCI.ErrorCode) {
                try body(&controller, try Command.received(parameters), &ether)
                return nil
            } catch {
                return .completed(Command.opcode, [error.rawValue])
            }
        }
    }
}

extension HCICommand {
    /// Returns the command with these parameters.
    ///
    /// - Throws: `invalidCommandParameters` if the parameters are malformed.
    fileprivate static func received(
        _ parameters: ArraySlice<UInt8>
    ) throws(HCI.ErrorCode) -> Self {
        guard let command = try? Self(parsing: parameters) else { throw .invalidCommandParameters }
        return command
    }
}

extension HCI.Event {
    /// The number of commands that a host may send before the answer to the last one: the
    /// controller performs them one by one.
    static let allowedCommands: UInt8 = 1

    static func completed(_ opcode: HCI.Opcode, _ returnParameters: [UInt8]) -> HCI.Event {
        .commandComplete(
            HCI.CommandComplete(
                allowedPackets: allowedCommands,
                opcode: opcode,
                returnParameters: returnParameters[...]
            )
        )
    }

    static func begun(_ opcode: HCI.Opcode, _ status: HCI.ErrorCode) -> HCI.Event {
        .commandStatus(
            HCI.CommandStatus(status: status, allowedPackets: allowedCommands, opcode: opcode)
        )
    }
}
