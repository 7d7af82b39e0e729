// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The reception of advertisements by the initiator.
extension VirtualController {
    /// Returns whether the initiator listened to the packet.
    mutating func initiatorListens(to packet: AdvertisingPacket, _ ether: Ether) -> Bool {
        initiatorExpects(packet) && isAvailable(during: packet.transmission, ether)
    }

    /// Returns whether the initiator's plan or one of its follows includes the packet. The caller
    /// checks whether the radio is free.
    private func initiatorExpects(_ packet: AdvertisingPacket) -> Bool {
        guard let plan = initiator.plan, initiator.attempt == nil, packet.isAdvertisement else {
            return false
        }
        let transmission = packet.transmission
        guard transmission.channel.isPrimary else {
            return initiator.follows.contains { $0.awaits(packet) }
        }
        let channel = plan.channel(
            packet.modulation,
            from: transmission.start.nanoseconds,
            to: transmission.end.nanoseconds
        )
        return channel == transmission.channel.index
    }

    /// Handles a packet that the scanner or the initiator has received.
    mutating func initiatorReceives(
        _ packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        guard initiatorExpects(packet) else { return }
        switch packet.pdu {
        case .legacy(let pdu):
            guard pdu.isConnectable else { return }
            let advertisement = ConnectableAdvertisement(pdu)
            connect(advertisement, in: packet, &ether)
        case .extended(let pdu):
            guard initiator.request?.isExtended == true else { return }
            initiatorReceives(pdu, in: packet, &ether)
        default: break
        }
    }

    private mutating func initiatorReceives(
        _ pdu: ExtendedAdvertisement,
        in packet: AdvertisingPacket,
        _ ether: inout Ether
    ) {
        guard pdu.kind == .auxiliary else { return initiatorFollows(pdu, in: packet, &ether) }
        guard let place = initiator.follows.firstIndex(where: { $0.awaits(packet) }) else { return }
        var follow = initiator.follows.remove(at: place)
        ether.cancel(&follow.timer)
        guard case .primary(let primary, _) = follow.announcement, pdu.isConnectable,
            pdu.sid == follow.sid, pdu.dataID == follow.dataID,
            let advertisement = ConnectableAdvertisement(pdu, after: primary)
        else { return }
        connect(advertisement, in: packet, &ether)
    }

    /// Waits for the AUX_ADV_IND to which an ADV_EXT_IND points, if it may be of a requested
    /// device.
    private mutating func initiatorFollows(
        _ pdu: ExtendedAdvertisement,
        in packet: AdvertisingPacket,
        _ ether: inout Ether
    ) {
        guard pdu.kind == .primary, pdu.isConnectable, let pointer = pdu.pointer,
            pointer.isValid(ether.now), initiator.follows.count < Initiator.followLimit
        else { return }
        if let advertiser = pdu.advertiser, identify(advertiser, ether) == nil { return }
        var follow = AuxiliaryFollow(
            pointer: pointer,
            announcement: .primary(pdu, packet.modulation.phy),
            sid: pdu.sid,
            dataID: pdu.dataID,
            token: ListeningToken.make(ether.now, isInitiator: true)
        )
        follow.timer = ether.schedule(.listen(follow.token), of: radio, at: follow.deadline)
        if follow.timer != nil { initiator.follows.append(follow) }
    }

    /// Ends the wait for a packet or an answer that did not arrive.
    mutating func initiatorWaitEnds(_ token: UInt64, _ ether: inout Ether) {
        initiator.follows.removeAll { $0.token == token }
        guard let attempt = initiator.attempt, attempt.timer != nil, attempt.token == token else {
            return
        }
        ether.abandonLink(attempt.link)
        initiator.attempt = nil
    }
}

/// An advertisement that can be answered with a connection request.
struct ConnectableAdvertisement {
    /// AdvA.
    let advertiser: DeviceAddress
    /// TargetA, if it is directed.
    let target: DeviceAddress?
    /// The handle of the advertiser's set.
    let set: UInt8
    /// Whether the advertiser supports Channel Selection Algorithm #2.
    let supportsChannelSelection2: Bool
    /// Whether the connection request is an AUX_CONNECT_REQ.
    let isAuxiliary: Bool

    /// Creates the value from an ADV_IND or ADV_DIRECT_IND.
    init(_ pdu: LegacyAdvertisement) {
        advertiser = pdu.advertiser
        target = pdu.target
        set = pdu.set
        supportsChannelSelection2 = pdu.supportsChannelSelection2
        isAuxiliary = false
    }

    /// Creates the value from an AUX_ADV_IND and the ADV_EXT_IND before it; `nil` if neither has
    /// the advertiser's address. Every extended advertiser supports Channel Selection Algorithm #2
    /// (Vol 6, Part B, 4.5.8.3).
    init?(_ pdu: ExtendedAdvertisement, after primary: ExtendedAdvertisement) {
        guard let advertiser = pdu.advertiser ?? primary.advertiser else { return nil }
        self.advertiser = advertiser
        target = pdu.target ?? primary.target
        set = pdu.set
        supportsChannelSelection2 = true
        isAuxiliary = true
    }
}
