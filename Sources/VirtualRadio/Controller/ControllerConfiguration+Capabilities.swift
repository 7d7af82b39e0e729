// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The capabilities that the controller reports to its host and its peers.
extension ControllerConfiguration {
    /// The LMP features: LE without BR/EDR (Vol 2, Part C, 3.3).
    package var lmpFeatures: HCI.LMPFeatures { [.classicNotSupported, .leSupported] }

    /// The combinations of activities that are supported: all that Vol 4, Part E, 7.8.27 defines.
    package var supportedStates: HCI.LESupportedStates {
        HCI.LESupportedStates(rawValue: (1 << 42) - 1)
    }

    /// The LE events of the controller, as bits of the LE event mask. An old controller has the
    /// events until LE Directed Advertising Report, and ignores the other bits (Vol 4, Part E,
    /// 7.8.1).
    package var leEvents: HCI.LEEventMask { HCI.LEEventMask(rawValue: isOld ? 0x07FF : .max) }

    /// The supported PHYs.
    package var phys: HCI.PHYSet { isOld ? [.le1M] : [.le1M, .le2M, .coded] }

    /// The maximum length of the payload of a data PDU in bytes (Vol 6, Part B, 4.5.10).
    package var dataLengthMaximum: UInt16 { 251 }

    /// The longest air time of a data PDU, which is on LE Coded if the controller supports it (Vol
    /// 6, Part B, 4.5.10).
    package var dataTimeMaximum: HCI.AirTime {
        HCI.AirTime(rawValue: phys.contains(.coded) ? 17_040 : 2_120)
    }

    /// The maximum length of the data of an ACL packet from the host in bytes: the configured
    /// length, limited to 27 to 251.
    package var aclPacketLength: UInt16 { UInt16(min(max(dataPacketLength, 27), 251)) }

    /// The number of ACL packets from the host that the controller holds: the configured count,
    /// limited to 1 to 255.
    package var aclPacketCount: UInt8 { UInt8(min(max(dataPacketCount, 1), 255)) }

    /// The range of transmit powers, in dBm.
    package var transmitPowers: ClosedRange<Int8> {
        let highest = ReceivedSignal.report(transmitPower)
        return min(-20, highest)...highest
    }

    /// Returns whether a controller with this configuration may offer the command. An old
    /// controller does not offer the commands that Bluetooth 5.0 and later versions added.
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
