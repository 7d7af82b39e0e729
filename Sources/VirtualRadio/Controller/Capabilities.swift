// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What follows from a configuration for the host and for the peers.
extension ControllerConfiguration {
    /// What else it can do: LE, and nothing but LE (Vol 2, Part C, 3.3).
    package var lmpFeatures: HCI.LMPFeatures { [.classicNotSupported, .leSupported] }

    /// Which activities it can combine: all of which Vol 4, Part E, 7.8.27 knows.
    package var supportedStates: HCI.LESupportedStates {
        HCI.LESupportedStates(rawValue: (1 << 42) - 1)
    }

    /// The PHYs that it can use.
    package var phys: HCI.PHYSet { isOld ? [.le1M] : [.le1M, .le2M, .coded] }

    /// The longest data packet on the air, in octets (Vol 6, Part B, 4.5.10).
    package var dataLengthMaximum: UInt16 { 251 }

    /// How long that may take on the air: on the coded PHY, if it has that
    /// (Vol 6, Part B, 4.5.10).
    package var dataTimeMaximum: HCI.AirTime {
        HCI.AirTime(rawValue: phys.contains(.coded) ? 17_040 : 2_120)
    }

    /// How many octets of data an ACL packet from the host may have: what the configuration says,
    /// within what there can be.
    package var aclPacketLength: UInt16 { UInt16(min(max(dataPacketLength, 27), 251)) }

    /// How many ACL packets of the host it holds: what the configuration says, within what there
    /// can be.
    package var aclPacketCount: UInt8 { UInt8(min(max(dataPacketCount, 1), 255)) }

    /// The powers with which it can send, in dBm.
    package var transmitPowers: ClosedRange<Int8> {
        let highest = SignalStrength.report(transmitPower)
        return min(-20, highest)...highest
    }

    /// Whether such a controller may have the command. One that is old knows none of those that
    /// came with 5.0 and later.
    package func mayOffer(_ opcode: HCI.Opcode) -> Bool {
        !isOld || !Self.commandsSince5.contains(opcode)
    }

    private static let commandsSince5: Set<HCI.Opcode> = [
        .leReadPHY, .leSetDefaultPHY, .leSetPHY,
        .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters,
        .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
        .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
        .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet,
        .leClearAdvertisingSets,
        .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
        .leReadTransmitPower, .leSetPrivacyMode, .leReadBufferSizeV2, .leGenerateDHKeyV2,
    ]
}
