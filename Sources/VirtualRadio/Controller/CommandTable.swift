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
        InformationCommands.handlers,
        Cryptography.handlers,
        FilterAcceptList.handlers,
        ResolvingList.handlers,
        Advertiser.legacyHandlers,
        Advertiser.extendedHandlers,
        Scanner.handlers,
        Initiator.handlers,
        LinkCommands.handlers,
    ]

    /// The answer to a command that is not offered (Vol 4, Part E, 4.5).
    static func unknown(_ opcode: HCI.Opcode) -> HCI.Event {
        .commandStatus(
            HCI.CommandStatus(status: .unknownCommand, allowedPackets: 1, opcode: opcode)
        )
    }
}
