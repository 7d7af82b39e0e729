// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// Every command that a virtual controller offers.
package enum CommandTable {
    /// What to do on each.
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
        Advertiser.legacyHandlers,
        Advertiser.extendedHandlers,
        Scanner.handlers,
        Initiator.handlers,
        LinkCommands.handlers,
    ]

    /// What to do on the command; nil if such a controller does not offer it.
    static func handler(
        of opcode: HCI.Opcode,
        in configuration: ControllerConfiguration
    ) -> CommandHandler? {
        guard configuration.mayOffer(opcode) else { return nil }
        return handlers[opcode]
    }

    /// The commands that such a controller offers, as it tells its host. True by construction:
    /// what has a handler is in it, and nothing else.
    package static func commands(
        offeredBy configuration: ControllerConfiguration
    ) -> HCI.SupportedCommands {
        HCI.SupportedCommands(handlers.keys.filter(configuration.mayOffer))
    }

    /// The answer to a command that is not offered (Vol 4, Part E, 4.5).
    static func unknown(_ opcode: HCI.Opcode) -> HCI.Event { .begun(opcode, .unknownCommand) }
}
