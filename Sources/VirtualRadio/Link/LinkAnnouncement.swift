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
        emit(completion(of: end, side, advertisingSet), to: end.radio)
        let algorithm = HCI.LEChannelSelectionAlgorithm(
            connectionHandle: end.handle,
            algorithm: link.proposal.usesChannelSelection2 ? 1 : 0
        )
        emit(.channelSelectionAlgorithm(algorithm), to: end.radio)
    }

    /// The latest form of the event that the host wants to see.
    private func completion(
        of end: LinkEnd,
        _ side: LinkSide,
        _ advertisingSet: UInt8?
    ) -> HCI.Event {
        let complete = end.completion(side)
        let mask = ports[end.radio.index].leEventMask
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
