// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How an initiator asks for a link (Vol 6, Part B, 4.4.4).
extension VirtualController {
    /// Answers the advertisement, which has just ended, if it is the one that is wanted, and the
    /// radio is free for it.
    mutating func connect(
        _ advertisement: ConnectableAdvertisement,
        in packet: AdvertisingPacket,
        _ ether: inout Ether
    ) {
        guard let peer = identify(advertisement.advertiser, ether),
            let identity = linkIdentity(of: peer, advertisement),
            let proposal = proposal(advertisement, as: identity.own, in: packet)
        else { return }
        let start = ether.now
        let end = start + Self.requestTime(advertisement, packet.modulation)
        guard ether.schedules[radio.index].isFree(from: start, to: end),
            let link = ether.proposeLink(proposal)
        else { return }
        ether.schedules[radio.index].engage(from: start, to: end, now: start)
        initiator.attempt = ConnectionAttempt(
            link: link,
            identity: identity.link,
            token: ListeningToken.make(start, isInitiator: true)
        )
        let pdu = ConnectionRequest(
            set: advertisement.set,
            initiator: identity.own,
            advertiser: advertisement.advertiser,
            link: link,
            isAuxiliary: advertisement.isAuxiliary
        )
        let request = AdvertisingPacket(
            .connectionRequest(pdu),
            from: radio,
            to: packet.sender,
            on: packet.transmission.channel,
            modulation: packet.modulation,
            start: start + FrameSpace.betweenFrames
        )
        ether.transmit(request)
    }

    /// Its connection request has ended. A legacy one is all it takes.
    mutating func initiatorTransmitted(
        _ request: ConnectionRequest,
        _ packet: AdvertisingPacket,
        _ ether: inout Ether
    ) {
        guard let attempt = initiator.attempt, attempt.link == request.link else { return }
        guard request.isAuxiliary else { return open(attempt, &ether) }
        let wait = FrameSpace.betweenFrames + Self.responseTime(packet.modulation)
        initiator.attempt?.timer = ether.schedule(
            .listen(attempt.token),
            of: radio,
            at: ether.now + wait + .microseconds(1)
        )
    }

    /// The advertiser has answered a connection request on a secondary channel.
    mutating func hear(
        _ response: ConnectionResponse,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        guard let attempt = initiator.attempt, attempt.timer != nil, attempt.link == response.link
        else { return }
        open(attempt, &ether)
    }

    private mutating func open(_ attempt: ConnectionAttempt, _ ether: inout Ether) {
        var attempt = attempt
        ether.cancel(&attempt.timer)
        initiator.attempt = nil
        stopInitiating(&ether)
        ether.openLink(attempt.link, attempt.identity)
    }

    /// How long the radio is engaged: from the end of the advertisement to the end of the request,
    /// or of the answer if there is to be one.
    private static func requestTime(
        _ advertisement: ConnectableAdvertisement,
        _ modulation: Modulation
    ) -> Duration {
        let request = modulation.airTime(
            pduLength: LegacyAdvertisingPDU.connectionRequest.length
        )
        let asking = FrameSpace.betweenFrames + request
        guard advertisement.isAuxiliary else { return asking }
        return asking + FrameSpace.betweenFrames + responseTime(modulation)
    }

    private static func responseTime(_ modulation: Modulation) -> Duration {
        modulation.airTime(pduLength: ConnectionResponse.length)
    }
}

extension ConnectionResponse {
    /// How many octets header and payload of AUX_CONNECT_RSP are (Vol 6, Part B, 2.3.3.3).
    fileprivate static let length = PacketLength.header + 1 + 1 + 2 * PacketLength.address
}

/// Who is who.
extension VirtualController {
    /// Who is behind the address of an advertiser, if the initiator is after that device; nil if it
    /// is not, or has a link to it.
    mutating func identify(_ advertiser: DeviceAddress, _ ether: Ether) -> ResolvedPeer? {
        guard let request = initiator.request else { return nil }
        let peer: ResolvedPeer
        switch resolvingList.resolve(advertiser) {
        case .refused: return nil
        case .identity(let identity): peer = ResolvedPeer(address: identity, isResolved: true)
        case .unresolved: peer = ResolvedPeer(address: advertiser, isResolved: false)
        }
        // A host may also name the private address of the moment.
        let isWanted =
            request.peer.map { $0 == peer.address || $0 == advertiser }
            ?? acceptList.contains(peer.address)
        guard isWanted, !ether.hasLink(radio, to: peer.address) else { return nil }
        return peer
    }

    /// Who the two ends of the link will be, and the address to send from; nil if the advertisement
    /// is for somebody else, or there is no address.
    private func linkIdentity(
        of peer: ResolvedPeer,
        _ advertisement: ConnectableAdvertisement
    ) -> (own: DeviceAddress, link: LinkIdentity)? {
        guard let type = initiator.request?.ownAddressType else { return nil }
        let identity = identityAddress(type)
        guard var own = privateAddress(type, toward: peer.address) ?? identity else { return nil }
        if let target = advertisement.target {
            switch recognize(target, type) {
            case .own: break
            // Not the target's address itself: that would tell listeners that the initiator has it
            // (Vol 6, Part B, 6.4).
            case .ownPrivate: own = resolvingList.localAddress(toward: peer.address) ?? target
            case .unresolved, .other: return nil
            }
        }
        let link = LinkIdentity(
            peer: peer.address,
            isPeerResolved: peer.isResolved,
            peerPrivateAddress: peer.isResolved ? advertisement.advertiser : nil,
            localPrivateAddress: own == identity ? nil : own
        )
        return (own, link)
    }

    private func proposal(
        _ advertisement: ConnectableAdvertisement,
        as own: DeviceAddress,
        in packet: AdvertisingPacket
    ) -> LinkProposal? {
        guard let parameters = initiator.request?.parameters(packet.modulation.phy) else {
            return nil
        }
        return LinkProposal(
            central: radio,
            centralAddress: own,
            peripheralAddress: advertisement.advertiser,
            parameters: parameters,
            modulation: packet.modulation,
            channelMap: settings.channelMap,
            usesChannelSelection2: advertisement.supportsChannelSelection2 && !configuration.isOld,
            isAuxiliary: advertisement.isAuxiliary
        )
    }
}

/// Who is behind an advertiser's address.
struct ResolvedPeer {
    /// The identity address where one was resolved, else the address on the air.
    let address: DeviceAddress
    /// Whether one was resolved.
    let isResolved: Bool
}
