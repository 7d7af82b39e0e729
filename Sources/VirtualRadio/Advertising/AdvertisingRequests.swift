// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Who asks an advertiser for more, or for a connection (Vol 6, Part B, 4.4.2.3 to 4.4.2.7).
extension VirtualController {
    /// Somebody wants a scan response.
    mutating func hear(
        _ request: ScanRequest,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        guard let place = asked(request.set, as: request.advertiser, in: packet),
            advertiser.sets[place].manner.isScannable,
            let scanner = requester(request.scanner),
            mayAsk(scanner, place, \.filtersScanRequests),
            respond(place, to: packet, &ether),
            advertiser.sets[place].manner.reportsScanRequests
        else { return }
        let received = HCI.LEScanRequestReceived(
            advertisingHandle: advertiser.sets[place].handle,
            scanner: scanner.reported
        )
        ether.emit(.scanRequestReceived(received), to: radio)
    }

    /// Sends the response T_IFS after the request. False if the radio is not free.
    private mutating func respond(
        _ place: Int,
        to request: AdvertisingPacket,
        _ ether: inout Ether
    ) -> Bool {
        let start = ether.now.later(AdvertisingPace.frameSpace)
        let channel = request.transmission.channel
        let response: AdvertisingPacket
        if advertiser.sets[place].manner.isLegacy {
            response = AdvertisingPacket(
                .scanResponse(scanResponsePDU(advertiser.sets[place])),
                from: radio,
                to: request.sender,
                on: channel,
                start: start,
                reduction: advertiser.sets[place].manner.reduction
            )
        } else {
            advertiser.sets[place].run?.isResponding = true
            advertiser.sets[place].run?.carriedOctets = 0
            response = auxiliaryPacket(
                place,
                .scanResponse,
                on: channel,
                to: request.sender,
                at: start
            )
        }
        guard send(response, of: place, &ether) else {
            advertiser.sets[place].run?.pointer = nil
            return false
        }
        cancelWait(place, &ether)
        return true
    }

    /// Somebody wants a connection.
    mutating func hear(
        _ request: ConnectionRequest,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        guard let place = asked(request.set, as: request.advertiser, in: packet),
            advertiser.sets[place].manner.isConnectable,
            request.isAuxiliary != advertiser.sets[place].manner.isLegacy,
            let initiator = requester(request.initiator),
            mayAsk(initiator, place, \.filtersConnectionRequests),
            !ether.hasLink(radio, to: initiator.identity)
        else { return }
        let set = advertiser.sets[place]
        let addresses = set.run?.addresses
        let identity = LinkIdentity(
            peer: initiator.identity,
            isPeerResolved: initiator.isResolved,
            peerPrivateAddress: initiator.isResolved ? initiator.address : nil,
            localPrivateAddress: addresses?.isOwnMade == true ? addresses?.own : nil
        )
        let handle = ether.joinLink(
            request.link,
            as: radio,
            identity,
            advertisingSet: set.isOfLegacyCommands ? nil : set.handle
        )
        guard let handle else { return }
        if request.isAuxiliary {
            answer(request, in: packet, weakerBy: set.manner.reduction, &ether)
        }
        connect(place, as: handle, &ether)
    }

    /// AUX_CONNECT_RSP, T_IFS after the request (Vol 6, Part B, 2.3.3.3).
    private func answer(
        _ request: ConnectionRequest,
        in packet: AdvertisingPacket,
        weakerBy reduction: Int16,
        _ ether: inout Ether
    ) {
        let response = ConnectionResponse(
            advertiser: request.advertiser,
            initiator: request.initiator,
            link: request.link
        )
        let answer = AdvertisingPacket(
            .connectionResponse(response),
            from: radio,
            to: packet.sender,
            on: packet.transmission.channel,
            modulation: packet.modulation,
            start: ether.now.later(AdvertisingPace.frameSpace),
            reduction: reduction
        )
        ether.schedules[radio.index].engage(
            from: answer.transmission.start,
            to: answer.transmission.end,
            now: ether.now
        )
        ether.transmit(answer)
    }

    /// Whether who asks is the target, or, where there is none, passes the filter policy.
    private func mayAsk(
        _ requester: Requester,
        _ place: Int,
        _ isFiltered: (AdvertisingManner) -> Bool
    ) -> Bool {
        let manner = advertiser.sets[place].manner
        if manner.isDirected {
            return requester.identity == manner.peer
                || requester.address == advertiser.sets[place].run?.addresses.target
        }
        return !isFiltered(manner) || acceptList.contains(requester.identity)
    }

    /// Which set is asked by a request that has just ended: one that listens for requests, by the
    /// address of its present event, at the right time.
    private func asked(
        _ set: UInt8,
        as advertiserAddress: DeviceAddress,
        in packet: AdvertisingPacket
    ) -> Int? {
        guard let place = advertiser.place(of: set), let run = advertiser.sets[place].run,
            case .hearing(packet.transmission.start) = run.step,
            run.addresses.own == advertiserAddress
        else { return nil }
        return place
    }

    /// Who is behind the address of a request; nil if it is not to be answered: an identity address
    /// of somebody who must not use it (Vol 6, Part B, 6.2).
    private mutating func requester(_ address: DeviceAddress) -> Requester? {
        switch resolvingList.resolve(address) {
        case .unresolved: Requester(address: address, identity: address, isResolved: false)
        case .identity(let identity):
            Requester(address: address, identity: identity, isResolved: true)
        case .refused: nil
        }
    }
}

/// Who sent a request.
private struct Requester {
    /// Its address on the air.
    let address: DeviceAddress
    /// Its identity address where that is known, else the one on the air.
    let identity: DeviceAddress
    /// Whether that is known.
    let isResolved: Bool

    /// What the host is told.
    var reported: HCI.PeerAddress {
        guard isResolved else { return HCI.PeerAddress(identity) }
        let type: HCI.AddressType = identity.kind == .public ? .publicIdentity : .randomIdentity
        return HCI.PeerAddress(type: type, value: identity.value)
    }
}
