// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The capabilities and preferences of a controller for its links.
package struct LinkCapabilities: Hashable, Sendable {
    /// The features of the Link Layer.
    package var features: HCI.LEFeatures
    /// The version of the Link Layer.
    package var version: LinkVersion
    /// The maximum length in bytes of a payload that the controller sends and receives.
    package var dataLengthLimit = PacketLength.dataPayloadLimit
    /// The payload length of LE Write Suggested Default Data Length, in bytes. If it is above 27, a
    /// new link requests it.
    package var suggestedBytes = LinkDataLength.minimum.sendBytes
    /// The air time of LE Write Suggested Default Data Length.
    package var suggestedTime = LinkDataLength.minimum.sendTime
    /// The preferences of LE Set Default PHY.
    package var preference = HCI.PHYPreference(transmit: nil, receive: nil)
    /// The time without authenticated packets on an encrypted link after which the host gets an
    /// event.
    package var authenticatedPayloadTimeout = Duration.seconds(30)

    /// Creates capabilities without preferences.
    package init(features: HCI.LEFeatures, version: LinkVersion) {
        self.features = features
        self.version = version
    }

    /// Creates the capabilities of a controller with this configuration and the settings of its
    /// host.
    package init(_ configuration: ControllerConfiguration, _ settings: ControllerSettings) {
        self.init(features: configuration.linkFeatures, version: configuration.linkVersion)
        suggestedBytes = Int(settings.suggestedBytes)
        suggestedTime = .microseconds(Int64(settings.suggestedTime))
        preference = HCI.PHYPreference(
            transmit: settings.preferredTransmitPHYs.map(HCI.PHYSet.init),
            receive: settings.preferredReceivePHYs.map(HCI.PHYSet.init)
        )
        authenticatedPayloadTimeout = settings.authenticatedPayloadTimeout
    }
}

extension ControllerConfiguration {
    /// The features of the Link Layer (Vol 6, Part B, 4.6). An old controller has those of
    /// Bluetooth 4.2: long packets and privacy, but neither the PHYs nor the advertising of 5.0.
    package var linkFeatures: HCI.LEFeatures {
        let old: HCI.LEFeatures = [
            .encryption, .connectionParametersRequest, .extendedReject,
            .peripheralFeatureExchange, .ping, .dataPacketLengthExtension, .privacy,
            .extendedScannerFilterPolicies,
        ]
        let new: HCI.LEFeatures = [
            .le2M, .coded, .extendedAdvertising, .channelSelectionAlgorithm2,
        ]
        return isOld ? old : old.union(new)
    }

    /// The version of the Link Layer. Its company identifier belongs to no company.
    package var linkVersion: LinkVersion {
        LinkVersion(version: isOld ? .core4_2 : .core5_4, company: 0xFFFF, subversion: 1)
    }
}

extension HCI.PHYSet {
    /// Creates the set of these PHYs.
    package init(_ phys: Set<PHY>) {
        self = []
        if phys.contains(.le1M) { insert(.le1M) }
        if phys.contains(.le2M) { insert(.le2M) }
        if phys.contains(.leCoded) { insert(.coded) }
    }
}
