// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The event masks and defaults that startup sets, limited to the capabilities of the controller.
///
/// Bits that a controller does not know stay clear, because some controllers refuse the whole mask
/// for one such bit.
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

    /// The LE events of version 4.0, and the later ones whose feature or command the controller
    /// supports.
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

    /// The command that makes the longest packets of the controller the suggested default for new
    /// links.
    var longestDefaultDataLength: HCI.LEWriteSuggestedDefaultDataLength {
        HCI.LEWriteSuggestedDefaultDataLength(
            transmitBytes: maximumDataLength?.transmitBytes ?? 27,
            transmitTime: maximumDataLength?.transmitTime ?? HCI.AirTime(rawValue: 328)
        )
    }
}
