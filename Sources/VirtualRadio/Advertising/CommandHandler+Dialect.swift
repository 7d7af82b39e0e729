// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

extension CommandHandler {
    /// Returns the handler of a command of one family, answered with Command Complete. If the
    /// command succeeds, the host is bound to that family.
    static func completing<Command: CommandCompleteCommand>(
        _ command: Command.Type,
        in dialect: AdvertisingDialect,
        _ body:
            @escaping @Sendable (
                inout VirtualController, Command, inout Ether
            ) throws(HCI.ErrorCode) -> Command.ReturnParameters
    ) -> CommandHandler {
        completing(command) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Command.ReturnParameters in
            let spoken = controller.settings.advertisingDialect ?? dialect
            guard spoken == dialect else { throw .commandDisallowed }
            let answer = try body(&controller, command, &ether)
            controller.settings.advertisingDialect = dialect
            return answer
        }
    }
}
