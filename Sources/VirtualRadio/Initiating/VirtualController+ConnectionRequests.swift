// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The connection requests of an initiator (Vol 6, Part B, 4.4.4).
extension VirtualController {
    /// Answers an advertisement that has just ended with a connection request, if the initiator
    /// connects to that advertiser and the radio is free.
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
        ether.schedules[radio.index].reserve(from: start, to: end, now: start)
        initiator.attempt = ConnectionAttempt(
            link: link,
            identity: identity.link,
            token: ListeningToken.make(start, isInitiator: true)
        )
        let pdu = ConnectIndication(
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

    /// Handles the end of the connection request. A legacy request is not answered, so it creates
    /// the link.
    mutating func initiatorTransmitted(
        _ request: ConnectIndication,
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

    /// Handles the advertiser's answer to a connection request on a secondary channel.
    mutating func receive(
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

    /// Returns the time for which the radio is reserved: from the end of the advertisement to the
    /// end of the request, or of its answer.
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
    /// The length of header and payload of AUX_CONNECT_RSP in bytes (Vol 6, Part B, 2.3.3.2).
    fileprivate static let length = PacketLength.header + 1 + 1 + 2 * PacketLength.address
}

/// The identities of peer and controller.
extension VirtualController {
    /// Returns the device behind an advertiser's address; `nil` if the initiator does not connect
    /// to it, or the controller has a link to it.
    mutating func identify(_ advertiser: DeviceAddress, _ ether: Ether) -> ResolvedPeer? {
        guard let request = initiator.request else { return nil }
        let peer: ResolvedPeer
        switch resolvingList.resolve(advertiser) {
        case .refused: return nil
        case .identity(let identity): peer = ResolvedPeer(address: identity, isResolved: true)
        case .unresolved: peer = ResolvedPeer(address: advertiser, isResolved: false)
        }
        // A host may also specify the current private address of the device.
        let isRequested =
            request.peer.map { $0 == peer.address || $0 == advertiser }
            ?? acceptList.contains(peer.address)
        guard isRequested, !ether.hasLink(radio, to: peer.address) else { return nil }
        return peer
    }

    /// Returns the identities at both ends of the link and the address to send from; `nil` if the
    /// advertisement is directed to an address that is not known as the controller's, or there is
    /// no address to send from.
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
            // The request must not repeat the target's address. Otherwise the answer would disclose
            // that the address belongs to the initiator (Vol 6, Part B, 6.4).
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
            channelMap: ChannelMap(rawValue: settings.channelMap).rawValue,
            usesChannelSelection2: advertisement.supportsChannelSelection2 && !configuration.isOld,
            isAuxiliary: advertisement.isAuxiliary
        )
    }
}

/// The device behind an advertiser's address.
struct ResolvedPeer {
    /// The identity address if the controller resolved it, or the address on the air.
    let address: DeviceAddress
    /// Whether the controller resolved the address.
    let isResolved: Bool
}
