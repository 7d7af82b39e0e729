// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// An event that the controller sends to the host (Vol 4, Part E, 7.7).
    package enum Event: Equatable, Sendable {
        case disconnectionComplete(DisconnectionComplete)
        case encryptionChange(EncryptionChange)
        case encryptionChangeV2(EncryptionChangeV2)
        case encryptionKeyRefreshComplete(EncryptionKeyRefreshComplete)
        case readRemoteVersionInformationComplete(ReadRemoteVersionInformationComplete)
        case commandComplete(CommandComplete)
        case commandStatus(CommandStatus)
        case hardwareError(HardwareError)
        case numberOfCompletedPackets(NumberOfCompletedPackets)
        case dataBufferOverflow(DataBufferOverflow)
        case authenticatedPayloadTimeoutExpired(AuthenticatedPayloadTimeoutExpired)

        case connectionComplete(LEConnectionComplete)
        case enhancedConnectionComplete(LEEnhancedConnectionComplete)
        case enhancedConnectionCompleteV2(LEEnhancedConnectionCompleteV2)
        case connectionUpdateComplete(LEConnectionUpdateComplete)
        case readRemoteFeaturesComplete(LEReadRemoteFeaturesComplete)
        case longTermKeyRequest(LELongTermKeyRequest)
        case remoteConnectionParameterRequest(LERemoteConnectionParameterRequest)
        case dataLengthChange(LEDataLengthChange)
        case readLocalP256PublicKeyComplete(LEReadLocalP256PublicKeyComplete)
        case generateDHKeyComplete(LEGenerateDHKeyComplete)
        case phyUpdateComplete(LEPHYUpdateComplete)
        case channelSelectionAlgorithm(LEChannelSelectionAlgorithm)
        case advertisingReports([AdvertisingReport])
        case directedAdvertisingReports([DirectedAdvertisingReport])
        case extendedAdvertisingReports([ExtendedAdvertisingReport])
        case scanTimeout
        case advertisingSetTerminated(LEAdvertisingSetTerminated)
        case scanRequestReceived(LEScanRequestReceived)

        /// An event without a type in this module. The parameters of an LE event exclude its
        /// subevent code.
        case unknown(EventCode, LESubeventCode?, parameters: ArraySlice<UInt8>)
    }
}
