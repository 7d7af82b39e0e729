// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension Scanner {
    /// The handlers of the legacy scanning commands (Vol 4, Part E, 7.8.10 and 7.8.11).
    static let legacyHandlers: [CommandHandler] = [
        .completing(HCI.LESetScanParameters.self, in: .legacy) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.setScanning(try ScanSettings(command))
            return HCI.NoReturnParameters()
        },
        .completing(HCI.LESetScanEnable.self, in: .legacy) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.enableScanning(command, &ether)
            return HCI.NoReturnParameters()
        },
    ]

    /// The handlers of the extended scanning commands (Vol 4, Part E, 7.8.64 and 7.8.65).
    static let extendedHandlers: [CommandHandler] = [
        .completing(HCI.LESetExtendedScanParameters.self, in: .extended) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.setScanning(try ScanSettings(command))
            return HCI.NoReturnParameters()
        },
        .completing(HCI.LESetExtendedScanEnable.self, in: .extended) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.enableScanning(command, &ether)
            return HCI.NoReturnParameters()
        },
    ]
}

extension VirtualController {
    fileprivate mutating func setScanning(_ settings: ScanSettings) throws(HCI.ErrorCode) {
        guard !scanner.isEnabled else { throw .commandDisallowed }
        scanner.settings = settings
    }

    fileprivate mutating func enableScanning(
        _ command: HCI.LESetScanEnable,
        _ ether: inout Ether
    ) throws(HCI.ErrorCode) {
        guard command.isEnabled else { return stopScanning(&ether) }
        try checkIsSet(scanner.settings.ownAddressType)
        let duplicates: HCI.DuplicateFilter = command.filtersDuplicates ? .on : .off
        guard scanner.isEnabled else { return startScanning(duplicates, &ether) }
        guard duplicates != scanner.duplicates else { return }
        scanner.duplicates = duplicates
        scanner.forgetDuplicates()
    }

    fileprivate mutating func enableScanning(
        _ command: HCI.LESetExtendedScanEnable,
        _ ether: inout Ether
    ) throws(HCI.ErrorCode) {
        guard command.isEnabled else { return stopScanning(&ether) }
        try Self.check(command)
        try checkIsSet(scanner.settings.ownAddressType)
        scanner.settings.isExtended = true
        startScanning(
            command.duplicates,
            for: command.duration.duration,
            every: command.period.duration,
            &ether
        )
    }

    /// Checks the parameters of the command (Vol 4, Part E, 7.8.65).
    ///
    /// - Throws: `invalidCommandParameters` if they are invalid.
    private static func check(_ command: HCI.LESetExtendedScanEnable) throws(HCI.ErrorCode) {
        let duration = command.duration.duration
        let period = command.period.duration
        let isPeriodic = duration > .zero && period > .zero
        guard command.duplicates.rawValue <= HCI.DuplicateFilter.onResetEachPeriod.rawValue,
            isPeriodic || command.duplicates != .onResetEachPeriod,
            !isPeriodic || duration < period
        else { throw .invalidCommandParameters }
    }
}
