// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What start-up asks of a controller, as far as the controller can do it. Bits that a controller
/// does not know are not set: some refuse the whole mask for one of them.
extension ControllerCapabilities {
    var eventMask: HCI.EventMask {
        [
            .disconnectionComplete, .encryptionChange, .readRemoteVersionInformationComplete,
            .hardwareError, .dataBufferOverflow, .encryptionKeyRefreshComplete, .leMeta,
        ]
    }

    var eventMaskPage2: HCI.EventMaskPage2 {
        supports(HCI.WriteAuthenticatedPayloadTimeout.self)
            ? [.authenticatedPayloadTimeoutExpired] : []
    }

    /// The events of version 4.0 always; the later ones with the feature or command they go with.
    var leEventMask: HCI.LEEventMask {
        var mask: HCI.LEEventMask = [
            .connectionComplete, .advertisingReport, .connectionUpdateComplete,
            .readRemoteFeaturesComplete, .longTermKeyRequest,
        ]
        if supports(HCI.LERemoteConnectionParameterRequestReply.self),
            supports(HCI.LERemoteConnectionParameterRequestNegativeReply.self)
        {
            mask.insert(.remoteConnectionParameterRequest)
        }
        if supports(HCI.LESetDataLength.self) { mask.insert(.dataLengthChange) }
        if supports(HCI.LEReadLocalP256PublicKey.self) {
            mask.insert(.readLocalP256PublicKeyComplete)
        }
        if supports(HCI.LEGenerateDHKey.self) { mask.insert(.generateDHKeyComplete) }
        if supports(HCI.LESetAddressResolutionEnable.self) || supportsExtendedInitiating {
            mask.insert(.enhancedConnectionComplete)
        }
        if leFeatures.contains(.extendedScannerFilterPolicies) {
            mask.insert(.directedAdvertisingReport)
        }
        if supports(HCI.LESetPHY.self) { mask.insert(.phyUpdateComplete) }
        if supportsExtendedScanning { mask.formUnion([.extendedAdvertisingReport, .scanTimeout]) }
        if supportsExtendedAdvertising {
            mask.formUnion([.advertisingSetTerminated, .scanRequestReceived])
        }
        return mask
    }

    /// New links are to use packets as long as the controller can send.
    var longestDefaultDataLength: HCI.LEWriteSuggestedDefaultDataLength {
        HCI.LEWriteSuggestedDefaultDataLength(
            transmitOctets: maximumDataLength?.transmitOctets ?? 27,
            transmitTime: maximumDataLength?.transmitTime ?? HCI.AirTime(rawValue: 328)
        )
    }
}
