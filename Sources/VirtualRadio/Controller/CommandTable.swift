// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// The commands that a virtual controller offers.
package enum CommandTable {
    /// The handlers of all commands.
    static let handlers: [HCI.Opcode: CommandHandler] = Dictionary(
        uniqueKeysWithValues: lists.joined().map { ($0.opcode, $0) }
    )

    private static let lists: [[CommandHandler]] = [
        BasebandCommands.handlers,
        HostFlowCommands.handlers,
        InformationCommands.handlers,
        SettingsCommands.handlers,
        StatusCommands.handlers,
        Cryptography.handlers,
        FilterAcceptList.handlers,
        ResolvingList.handlers,
        VirtualAdvertiser.legacyHandlers,
        VirtualAdvertiser.extendedHandlers,
        Scanner.handlers,
        Initiator.handlers,
        LinkCommands.handlers,
    ]

    /// Returns the handler of the command; `nil` if a controller with this configuration does not
    /// offer it.
    static func handler(
        of opcode: HCI.Opcode,
        in configuration: ControllerConfiguration
    ) -> CommandHandler? {
        guard configuration.mayOffer(opcode) else { return nil }
        return handlers[opcode]
    }

    /// Returns the Supported Commands of a controller with this configuration.
    package static func commands(
        offeredBy configuration: ControllerConfiguration
    ) -> HCI.SupportedCommands {
        HCI.SupportedCommands(handlers.keys.filter(configuration.mayOffer))
    }

    /// Returns the answer to a command that is not offered (Vol 4, Part E, 4.5).
    static func unknown(_ opcode: HCI.Opcode) -> HCI.Event { .begun(opcode, .unknownCommand) }
}
