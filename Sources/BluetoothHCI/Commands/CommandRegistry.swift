// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// All command types of this module.
    private static let commandTypes: [any HCICommand.Type] = [
        Disconnect.self,
        ReadRemoteVersionInformation.self,
        SetEventMask.self,
        Reset.self,
        SetControllerToHostFlowControl.self,
        HostBufferSize.self,
        HostNumberOfCompletedPackets.self,
        ReadTransmitPowerLevel.self,
        SetEventMaskPage2.self,
        WriteLEHostSupport.self,
        ReadAuthenticatedPayloadTimeout.self,
        WriteAuthenticatedPayloadTimeout.self,
        ReadLocalVersionInformation.self,
        ReadLocalSupportedCommands.self,
        ReadLocalSupportedFeatures.self,
        ReadBufferSize.self,
        ReadBDAddress.self,
        ReadRSSI.self,
        LESetEventMask.self,
        LEReadBufferSize.self,
        LEReadBufferSizeV2.self,
        LEReadLocalSupportedFeatures.self,
        LESetRandomAddress.self,
        LEReadSupportedStates.self,
        LERand.self,
        LEReadTransmitPower.self,
        LESetScanParameters.self,
        LESetScanEnable.self,
        LESetExtendedScanParameters.self,
        LESetExtendedScanEnable.self,
        LECreateConnection.self,
        LECreateConnectionCancel.self,
        LEExtendedCreateConnection.self,
        LEReadFilterAcceptListSize.self,
        LEClearFilterAcceptList.self,
        LEAddDeviceToFilterAcceptList.self,
        LERemoveDeviceFromFilterAcceptList.self,
        LEConnectionUpdate.self,
        LESetHostChannelClassification.self,
        LEReadChannelMap.self,
        LEReadRemoteFeatures.self,
        LERemoteConnectionParameterRequestReply.self,
        LERemoteConnectionParameterRequestNegativeReply.self,
        LESetDataLength.self,
        LEReadSuggestedDefaultDataLength.self,
        LEWriteSuggestedDefaultDataLength.self,
        LEReadMaximumDataLength.self,
        LEReadPHY.self,
        LESetDefaultPHY.self,
        LESetPHY.self,
        LEEncrypt.self,
        LEEnableEncryption.self,
        LELongTermKeyRequestReply.self,
        LELongTermKeyRequestNegativeReply.self,
        LEReadLocalP256PublicKey.self,
        LEGenerateDHKey.self,
        LEGenerateDHKeyV2.self,
        LEAddDeviceToResolvingList.self,
        LERemoveDeviceFromResolvingList.self,
        LEClearResolvingList.self,
        LEReadResolvingListSize.self,
        LEReadPeerResolvableAddress.self,
        LEReadLocalResolvableAddress.self,
        LESetAddressResolutionEnable.self,
        LESetResolvablePrivateAddressTimeout.self,
        LESetPrivacyMode.self,
        LESetAdvertisingParameters.self,
        LEReadAdvertisingPhysicalChannelTxPower.self,
        LESetAdvertisingData.self,
        LESetScanResponseData.self,
        LESetAdvertisingEnable.self,
        LESetAdvertisingSetRandomAddress.self,
        LESetExtendedAdvertisingParameters.self,
        LESetExtendedAdvertisingData.self,
        LESetExtendedScanResponseData.self,
        LESetExtendedAdvertisingEnable.self,
        LEReadMaximumAdvertisingDataLength.self,
        LEReadNumberOfSupportedAdvertisingSets.self,
        LERemoveAdvertisingSet.self,
        LEClearAdvertisingSets.self,
    ]

    /// The command types by opcode.
    static let commandTypesByOpcode = Dictionary(
        uniqueKeysWithValues: commandTypes.map { ($0.opcode, $0) }
    )

    /// Decodes a command.
    ///
    /// - Returns: The typed command, or `nil` if this module has no type for its opcode.
    /// - Throws: ``MalformedBytes`` if the parameters do not have the required form.
    package static func command(
        opcode: Opcode,
        parameters: ArraySlice<UInt8>
    ) throws(MalformedBytes) -> (any HCICommand)? {
        try commandTypesByOpcode[opcode]?.init(parsing: parameters)
    }
}
