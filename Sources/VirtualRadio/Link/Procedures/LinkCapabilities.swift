// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What a controller brings into a link: what it can do, and what it would like.
package struct LinkCapabilities: Hashable, Sendable {
    /// What its Link Layer can do.
    package var features: HCI.LEFeatures
    /// Who made it.
    package var version: LinkVersion
    /// How long packets it takes and sends, if the peer does: octets of payload.
    package var dataLengthLimit = PacketLength.dataPayloadLimit
    /// LE Write Suggested Default Data Length, octets: beyond 27, a new link asks for that.
    package var suggestedOctets = DataLength.minimum.sendOctets
    /// LE Write Suggested Default Data Length, time on the air.
    package var suggestedTime = DataLength.minimum.sendTime
    /// LE Set Default PHY.
    package var preference = HCI.PHYPreference(transmit: nil, receive: nil)
    /// How long an encrypted link may be without authenticated packets before the host is told.
    package var authenticatedPayloadTimeout = Duration.seconds(30)

    /// A controller that can do that, without wishes.
    package init(features: HCI.LEFeatures, version: LinkVersion) {
        self.features = features
        self.version = version
    }

    /// What a controller of this configuration brings, whose host has made these settings.
    package init(_ configuration: ControllerConfiguration, _ settings: ControllerSettings) {
        self.init(features: configuration.linkFeatures, version: configuration.linkVersion)
        suggestedOctets = Int(settings.suggestedOctets)
        suggestedTime = .microseconds(Int64(settings.suggestedTime))
        preference = HCI.PHYPreference(
            transmit: settings.preferredTransmitPHYs.map(HCI.PHYSet.init),
            receive: settings.preferredReceivePHYs.map(HCI.PHYSet.init)
        )
        authenticatedPayloadTimeout = settings.authenticatedPayloadTimeout
    }
}

extension ControllerConfiguration {
    /// What its Link Layer can do (Vol 6, Part B, 4.6). An old one is of Bluetooth 4.2: it knows
    /// long packets and privacy, but neither the PHYs nor the advertising of 5.0.
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

    /// How its Link Layer introduces itself. The company is the one that stands for no company.
    package var linkVersion: LinkVersion {
        LinkVersion(version: isOld ? .core4_2 : .core5_4, company: 0xFFFF, subversion: 1)
    }
}

extension HCI.PHYSet {
    /// The set of these PHYs.
    package init(_ phys: Set<PHY>) {
        self = []
        if phys.contains(.le1M) { insert(.le1M) }
        if phys.contains(.le2M) { insert(.le2M) }
        if phys.contains(.leCoded) { insert(.coded) }
    }
}
