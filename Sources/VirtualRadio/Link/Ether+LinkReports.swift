// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The events that report a new link to the hosts.
extension Ether {
    /// The values for no advertising set and no sync in LE Enhanced Connection Complete (Vol 4,
    /// Part E, 7.7.65.10).
    private static let noAdvertisingSet: UInt8 = 0xFF
    private static let noSync: UInt16 = 0xFFFF

    /// Reports the link with LE Connection Complete in the version of the host's masks. LE Channel
    /// Selection Algorithm follows at once (Vol 4, Part E, 7.7.65.20), unless the controller
    /// supports only one algorithm.
    mutating func reportLinkToHost(_ link: RadioLink, _ side: LinkSide, _ advertisingSet: UInt8?) {
        guard let end = link[side] else { return }
        reportToHost(end.completion(side), end.radio, advertisingSet)
        let features = links.resources[end.radio.index].capabilities.features
        guard features.contains(.channelSelectionAlgorithm2) else { return }
        let algorithm = HCI.LEChannelSelectionAlgorithm(
            connectionHandle: end.handle,
            algorithm: link.proposal.usesChannelSelection2 ? 1 : 0
        )
        emit(.channelSelectionAlgorithm(algorithm), to: end.radio)
    }

    /// Reports, with LE Connection Complete, that a requested link was not created.
    mutating func reportFailureToHost(_ reason: HCI.ErrorCode, _ role: HCI.Role, _ radio: RadioID) {
        let none = HCI.LEEnhancedConnectionComplete(
            status: reason,
            connectionHandle: ConnectionHandle(rawValue: 0),
            role: role,
            peerAddress: .none,
            localPrivateAddress: HCI.BareAddress(value: 0),
            peerPrivateAddress: HCI.BareAddress(value: 0),
            interval: HCI.ConnectionInterval(rawValue: 0),
            peripheralLatency: 0,
            supervisionTimeout: HCI.Timeout(rawValue: 0)
        )
        reportToHost(none, radio, nil)
    }

    private mutating func reportToHost(
        _ connection: HCI.LEEnhancedConnectionComplete,
        _ radio: RadioID,
        _ advertisingSet: UInt8?
    ) {
        let complete = HCI.LEEnhancedConnectionCompleteV2(
            connection: connection,
            advertisingHandle: advertisingSet ?? Self.noAdvertisingSet,
            syncHandle: Self.noSync
        )
        emitConnectionComplete(complete, to: radio)
    }
}

extension LinkEnd {
    fileprivate func completion(_ side: LinkSide) -> HCI.LEEnhancedConnectionComplete {
        let none = HCI.BareAddress(value: 0)
        return HCI.LEEnhancedConnectionComplete(
            status: .success,
            connectionHandle: handle,
            role: side == .central ? .central : .peripheral,
            peerAddress: identity.address,
            localPrivateAddress: identity.localPrivateAddress.map(HCI.BareAddress.init) ?? none,
            peerPrivateAddress: identity.peerPrivateAddress.map(HCI.BareAddress.init) ?? none,
            interval: HCI.ConnectionInterval(settings.parameters.interval),
            peripheralLatency: UInt16(clamping: settings.parameters.latency),
            supervisionTimeout: HCI.Timeout(settings.parameters.supervisionTimeout)
        )
    }
}

extension LinkIdentity {
    /// The peer's address in events.
    fileprivate var address: HCI.PeerAddress {
        guard isPeerResolved else { return HCI.PeerAddress(peer) }
        let type: HCI.AddressType = peer.kind == .public ? .publicIdentity : .randomIdentity
        return HCI.PeerAddress(type: type, value: peer.value)
    }
}
