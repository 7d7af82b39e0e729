// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that sets the parameters of scanning. It is not allowed while scanning
    /// (Vol 4, Part E, 7.8.10).
    package struct LESetScanParameters: CommandCompleteCommand {
        package static let opcode = Opcode.leSetScanParameters

        package var type: ScanType
        package var interval: ScanInterval
        /// The part of each interval during which the controller listens.
        package var window: ScanInterval
        package var ownAddressType: OwnAddressType
        package var filterPolicy: ScanFilterPolicy

        package init(
            type: ScanType,
            interval: ScanInterval,
            window: ScanInterval,
            ownAddressType: OwnAddressType,
            filterPolicy: ScanFilterPolicy = .unfiltered
        ) {
            self.type = type
            self.interval = interval
            self.window = window
            self.ownAddressType = ownAddressType
            self.filterPolicy = filterPolicy
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            type = try reader.decode()
            interval = try reader.decode()
            window = try reader.decode()
            ownAddressType = try reader.decode()
            filterPolicy = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(type, interval, window, ownAddressType, filterPolicy)
        }
    }

    /// A command that starts or stops scanning (Vol 4, Part E, 7.8.11).
    package struct LESetScanEnable: CommandCompleteCommand {
        package static let opcode = Opcode.leSetScanEnable

        package var isEnabled: Bool
        package var filtersDuplicates: Bool

        package init(isEnabled: Bool, filtersDuplicates: Bool) {
            self.isEnabled = isEnabled
            self.filtersDuplicates = filtersDuplicates
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            isEnabled = try reader.decode()
            filtersDuplicates = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(isEnabled, filtersDuplicates)
        }
    }

    /// The parameters for scanning on one PHY.
    package struct PHYScanParameters: HCIParameters {
        package var type: ScanType
        package var interval: ScanInterval
        /// The part of each interval during which the controller listens.
        package var window: ScanInterval

        package init(type: ScanType, interval: ScanInterval, window: ScanInterval) {
            self.type = type
            self.interval = interval
            self.window = window
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            type = try reader.decode()
            interval = try reader.decode()
            window = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(type, interval, window)
        }
    }

    /// A command that sets the parameters of extended scanning. It is not allowed while scanning
    /// (Vol 4, Part E, 7.8.64).
    package struct LESetExtendedScanParameters: CommandCompleteCommand {
        package static let opcode = Opcode.leSetExtendedScanParameters

        package var ownAddressType: OwnAddressType
        package var filterPolicy: ScanFilterPolicy
        /// The PHYs to scan, LE 1M, LE Coded or both, and their parameters.
        package var phys: PerPHY<PHYScanParameters>

        package init(
            ownAddressType: OwnAddressType,
            filterPolicy: ScanFilterPolicy = .unfiltered,
            phys: PerPHY<PHYScanParameters>
        ) {
            self.ownAddressType = ownAddressType
            self.filterPolicy = filterPolicy
            self.phys = phys
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            ownAddressType = try reader.decode()
            filterPolicy = try reader.decode()
            phys = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(ownAddressType, filterPolicy, phys)
        }
    }

    /// A command that starts or stops extended scanning (Vol 4, Part E, 7.8.65).
    package struct LESetExtendedScanEnable: CommandCompleteCommand {
        package static let opcode = Opcode.leSetExtendedScanEnable

        package var isEnabled: Bool
        package var duplicates: DuplicateFilter
        /// The time after which scanning stops, or zero for no time limit.
        package var duration: Timeout
        /// The time from one start of scanning to the next, or zero if scanning does not start
        /// again.
        package var period: ScanPeriod

        package init(
            isEnabled: Bool,
            duplicates: DuplicateFilter,
            duration: Timeout = Timeout(rawValue: 0),
            period: ScanPeriod = ScanPeriod(rawValue: 0)
        ) {
            self.isEnabled = isEnabled
            self.duplicates = duplicates
            self.duration = duration
            self.period = period
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            isEnabled = try reader.decode()
            duplicates = try reader.decode()
            duration = try reader.decode()
            period = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(isEnabled, duplicates, duration, period)
        }
    }
}
