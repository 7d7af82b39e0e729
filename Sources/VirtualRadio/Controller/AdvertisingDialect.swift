// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// Which of the two families of advertising, scanning and initiating commands a host speaks. Once
/// it has used one, the other is refused until Reset (Vol 4, Part E, 3.1.1).
package enum AdvertisingDialect: Sendable {
    /// The commands of Bluetooth 4.0.
    case legacy
    /// The commands that came with extended advertising.
    case extended
}

extension CommandHandler {
    /// A command of one of the dialects that is answered when it begins; the host is held to the
    /// dialect if the command succeeds.
    static func beginning<Command: CommandStatusCommand>(
        _ command: Command.Type,
        in dialect: AdvertisingDialect,
        _ body:
            @escaping @Sendable (
                inout VirtualController, Command, inout Ether
            ) throws(HCI.ErrorCode) -> Void
    ) -> CommandHandler {
        beginning(command) { (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            let spoken = controller.settings.advertisingDialect ?? dialect
            guard spoken == dialect else { throw .commandDisallowed }
            try body(&controller, command, &ether)
            controller.settings.advertisingDialect = dialect
        }
    }
}
