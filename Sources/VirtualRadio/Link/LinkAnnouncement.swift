// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How hosts learn of a new link.
extension Ether {
    /// The handles that stand for none in LE Enhanced Connection Complete (Vol 4, Part E,
    /// 7.7.65.10).
    private static let noAdvertisingSet: UInt8 = 0xFF
    private static let noSync: UInt16 = 0xFFFF

    /// LE (Enhanced) Connection Complete, and LE Channel Selection Algorithm, which follows at once
    /// (Vol 4, Part E, 7.7.65.20).
    mutating func tellHost(of link: Link, _ side: LinkSide, _ advertisingSet: UInt8?) {
        guard let end = link[side] else { return }
        emit(latestForm(of: end.completion(side), for: end.radio, advertisingSet), to: end.radio)
        let algorithm = HCI.LEChannelSelectionAlgorithm(
            connectionHandle: end.handle,
            algorithm: link.proposal.usesChannelSelection2 ? 1 : 0
        )
        emit(.channelSelectionAlgorithm(algorithm), to: end.radio)
    }

    /// LE (Enhanced) Connection Complete for a link that was asked for and is not to be.
    mutating func tellHost(ofNoLink reason: HCI.ErrorCode, _ role: HCI.Role, _ radio: RadioID) {
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
        emit(latestForm(of: none, for: radio, nil), to: radio)
    }

    /// The latest form of the event that the host wants to see.
    private func latestForm(
        of complete: HCI.LEEnhancedConnectionComplete,
        for radio: RadioID,
        _ advertisingSet: UInt8?
    ) -> HCI.Event {
        let mask = ports[radio.index].leEventMask
        if mask.contains(.enhancedConnectionCompleteV2) {
            return .enhancedConnectionCompleteV2(
                HCI.LEEnhancedConnectionCompleteV2(
                    connection: complete,
                    advertisingHandle: advertisingSet ?? Self.noAdvertisingSet,
                    syncHandle: Self.noSync
                )
            )
        }
        guard !mask.contains(.enhancedConnectionComplete) else {
            return .enhancedConnectionComplete(complete)
        }
        return .connectionComplete(complete.plain)
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
            interval: HCI.ConnectionInterval(rhythm.parameters.interval),
            peripheralLatency: UInt16(clamping: rhythm.parameters.latency),
            supervisionTimeout: HCI.Timeout(rhythm.parameters.supervisionTimeout)
        )
    }
}

extension LinkIdentity {
    /// The peer as events name it.
    fileprivate var address: HCI.PeerAddress {
        guard isPeerResolved else { return HCI.PeerAddress(peer) }
        let type: HCI.AddressType = peer.kind == .public ? .publicIdentity : .randomIdentity
        return HCI.PeerAddress(type: type, value: peer.value)
    }
}

extension HCI.LEEnhancedConnectionComplete {
    /// The same for a host that knows nothing of private addresses: it is told the one on the air.
    fileprivate var plain: HCI.LEConnectionComplete {
        let isResolved = peerAddress.isIdentity && peerPrivateAddress.value != 0
        let onAir = HCI.PeerAddress(peerPrivateAddress.deviceAddress(.random))
        return HCI.LEConnectionComplete(
            status: status,
            connectionHandle: connectionHandle,
            role: role,
            peerAddress: isResolved ? onAir : peerAddress,
            interval: interval,
            peripheralLatency: peripheralLatency,
            supervisionTimeout: supervisionTimeout,
            clockAccuracy: clockAccuracy
        )
    }
}
